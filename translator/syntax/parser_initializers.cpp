// SPDX-License-Identifier: MIT
// Initialisers. Only what differs from zero is kept: elements that are missing or 0 take no place in the module.
//   = 5 | = {1, 2, …} | = {{1, 2}, {3}} | = symbol + 4 | = generic(symbol) + 4 | = 0xFF00(symbol)
#include <bit>

#include "syntax/parser.h"

namespace ptxshim::ptx {
namespace {

constexpr std::string_view kOpaqueFields[] = {
    "width",       "height",      "depth",       "channel_data_type", "channel_order",      "normalized_coords", "force_unnormalized_coords",
    "filter_mode", "addr_mode_0", "addr_mode_1", "addr_mode_2",       "num_mipmap_levels", "num_samples", "array_size", "memory_layout"};

} // namespace

bool Parser::parse_initializer(Symbol& symbol) {
  advance();
  symbol.has_initializer = true;
  if (kind_of(symbol.type) == TypeKind::Opaque) return parse_opaque_initializer(symbol);
  std::vector<uint64_t> shape = symbol.dimensions;
  if (symbol.vector > 1) shape.push_back(symbol.vector);
  if (shape.empty()) return parse_initializer_value(symbol, 0);
  return parse_initializer_list(symbol, shape);
}

// Braces nest as deep as the shape has dimensions, never deeper; positions are kept per level.
bool Parser::parse_initializer_list(Symbol& symbol, const std::vector<uint64_t>& shape) {
  std::vector<uint64_t> strides(shape.size(), std::max(bits_of(symbol.type) / 8, 1u));
  for (size_t level = shape.size() - 1; level > 0; --level) strides[level - 1] = strides[level] * shape[level];
  const bool open_size = symbol.unsized;
  std::vector<uint64_t> positions;
  if (!at(Tok::LeftBrace)) return fail_token("'{'");
  for (;;) {
    if (at(Tok::LeftBrace) && positions.size() < shape.size()) {
      positions.push_back(0);
      advance();
      if (!at(Tok::RightBrace)) continue;
    } else if (positions.size() < shape.size()) {
      return fail(token_.begin, "'{' expected: the variable has " + std::to_string(shape.size()) + " dimensions");
    } else {
      uint64_t offset = 0;
      for (size_t level = 0; level < shape.size(); ++level) offset += positions[level] * strides[level];
      if (!parse_initializer_value(symbol, offset)) return false;
      ++positions.back();
    }
    while (at(Tok::RightBrace)) {
      advance();
      if (positions.size() == 1 && open_size) { // the first dimension is as long as its list
        symbol.dimensions[0] = positions[0];
        symbol.unsized = false;
        if (positions[0] == 0) return fail(token_.begin, "an array of no elements");
        return finish_size(symbol, symbol.offset);
      }
      positions.pop_back();
      if (positions.empty()) return true;
      ++positions.back();
    }
    if (!expect(Tok::Comma)) return false;
    const size_t level = positions.size() - 1;
    if (positions[level] >= shape[level] && !(open_size && level == 0)) {
      return fail(token_.begin, "more values than elements: this dimension has " + std::to_string(shape[level]));
    }
  }
}

bool Parser::parse_initializer_value(Symbol& symbol, uint64_t offset) {
  Initializer element;
  element.offset = offset;
  element.size = static_cast<uint8_t>(std::max(bits_of(symbol.type) / 8, 1u));
  const Offset where = token_.begin;
  if (at(Tok::Identifier) && token_.text != "WARP_SZ") return parse_initializer_symbol(symbol, element);
  Constant constant;
  if (!parse_constant(constant)) return false;
  if (at(Tok::LeftParen) && constant.is_integer()) return parse_initializer_mask(symbol, element, constant.bits);
  if (!convert(constant, symbol.type, element.value)) {
    return fail(where, std::string(constant.is_integer() ? "an integer" : "a floating-point number") + " cannot initialise a variable of type ." +
                           std::string(spelling(symbol.type)));
  }
  if (element.size > 8) element.size = 8; // .b128: the upper half is zero
  if (element.value != 0) symbol.initializers.push_back(element);
  return true;
}

bool Parser::parse_initializer_symbol(Symbol& symbol, Initializer& element) {
  const Offset where = token_.begin;
  if (token_.text == "generic" && lexer_.peek() == '(') {
    element.generic = true;
    advance();
    advance();
  }
  NameId name = kNone;
  Offset offset = 0;
  if (!parse_name("the name of a variable", name, offset)) return false;
  const Binding* binding = scopes_.find(name);
  if (!binding || binding->meaning != Meaning::Symbol) {
    return fail(offset, "'" + std::string(module_.name(name).substr(0, 200)) + "' is not declared" + near_name(module_.name(name)));
  }
  element.symbol = binding->index;
  const Symbol& target = module_.symbols[element.symbol];
  const bool function_symbol = target.kind == SymbolKind::Function || target.kind == SymbolKind::Alias;
  if (!function_symbol && target.space != StateSpace::Global && target.space != StateSpace::Const) {
    return fail(offset, "only .global and .const variables and functions have an address that is constant");
  }
  if (element.generic && !expect(Tok::RightParen)) return false;
  if (at(Tok::Minus)) return fail(token_.begin, "a negative offset is written '+-n'");
  if (accept(Tok::Plus)) {
    int64_t addend = 0;
    if (!parse_constant_integer(addend)) return false;
    element.value = static_cast<uint64_t>(addend);
  }
  const TypeKind kind = kind_of(symbol.type);
  if (kind == TypeKind::Float || kind == TypeKind::BFloat || element.size < 4) {
    return fail(where, "an address needs an integer of at least 32 bits, not ." + std::string(spelling(symbol.type)));
  }
  element.size = std::min<uint8_t>(element.size, 8);
  symbol.initializers.push_back(element);
  return true;
}

// 0xFF00(symbol): one byte of its address.
bool Parser::parse_initializer_mask(Symbol& symbol, Initializer& element, uint64_t mask) {
  const Offset where = token_.begin;
  const unsigned shift = static_cast<unsigned>(std::countr_zero(mask));
  if (mask == 0 || shift % 8 != 0 || mask >> shift != 0xff) return fail(where, "a mask covers exactly one byte: 0xFF, 0xFF00 and so on");
  if (module_.version < 71) return fail(where, "a masked address needs PTX version 7.1, the module is of version " + version_text(module_.version));
  if (symbol.type != ScalarType::U8 && symbol.type != ScalarType::U32 && symbol.type != ScalarType::U64) { // as ptxas has it
    return fail(where, "a masked address initialises .u8, .u32 and .u64, not ." + std::string(spelling(symbol.type)));
  }
  advance();
  Symbol whole; // parsed as an address, then cut down to the byte
  whole.type = ScalarType::B64;
  Initializer address;
  address.size = 8;
  if (!at(Tok::Identifier)) return fail_token("the name of a variable");
  if (!parse_initializer_symbol(whole, address) || !expect(Tok::RightParen)) return false;
  element.symbol = address.symbol;
  element.generic = address.generic;
  element.value = address.value;
  element.mask = mask;
  element.mask_shift = static_cast<uint8_t>(shift);
  symbol.initializers.push_back(element);
  return true;
}

// {normalized_coords = 1, filter_mode = linear}: checked, and dropped: textures are set up by their host calls.
bool Parser::parse_opaque_initializer(Symbol& symbol) {
  symbol.has_initializer = false;
  if (!expect(Tok::LeftBrace)) return false;
  static const WordTable kFields(kOpaqueFields, std::size(kOpaqueFields));
  while (!at(Tok::RightBrace)) {
    if (!at(Tok::Identifier)) return fail_token("a field");
    if (kFields.find(token_.text) == WordTable::kMissing) {
      return fail(token_.begin, "unknown field " + describe(token_) + did_you_mean(kFields.nearest(token_.text)));
    }
    advance();
    if (!expect(Tok::Equal)) return false;
    if (at(Tok::Identifier)) {
      advance();
    } else {
      int64_t value = 0;
      if (!parse_constant_integer(value)) return false;
    }
    if (!at(Tok::RightBrace) && !expect(Tok::Comma)) return false;
  }
  advance();
  return true;
}

} // namespace ptxshim::ptx
