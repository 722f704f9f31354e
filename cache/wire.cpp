// SPDX-License-Identifier: MIT
// encode() and decode() of the contracts, over the field lists of wire.h.
#include "wire.h"

namespace ptxshim {

namespace wire {

bool known_result(uint32_t code) {
#define PTXSHIM_X(name, value)                                                                               \
  if (code == value) return true;
  PTXSHIM_CUDA_RESULTS(PTXSHIM_X)
#undef PTXSHIM_X
  return false;
}

namespace {

template <class T> std::vector<std::byte> write(uint32_t magic, const T& value) {
  ByteSink sink;
  Out<ByteSink> out(sink);
  out(magic, kVersion, value);
  return std::move(sink.bytes);
}

void check_head(In& in, uint32_t magic) {
  uint32_t got_magic = 0, got_version = 0;
  in(got_magic, got_version);
  if (in.ok() && got_magic != magic) in.fail("the magic number is wrong");
  if (in.ok() && got_version != kVersion) in.fail("the format version is not known");
}

Error damaged(const char* what, const In& in) {
  return Error{CUDA_ERROR_INVALID_IMAGE, std::string(what) + " is damaged: " + in.what() + " (byte " +
                                             std::to_string(in.position()) + ")"};
}

template <class T> Result<T> read(std::span<const std::byte> bytes, uint32_t magic, const char* what) {
  In in(bytes);
  check_head(in, magic);
  T value;
  in(value);
  if (in.ok() && !in.at_end()) in.fail("bytes follow its end");
  if (!in.ok()) return damaged(what, in);
  return value;
}

} // namespace
} // namespace wire

std::vector<std::byte> encode(const CodeObject& code_object) {
  return wire::write(wire::kCodeObjectMagic, code_object);
}

Result<CodeObject> decode_code_object(std::span<const std::byte> bytes) {
  return wire::read<CodeObject>(bytes, wire::kCodeObjectMagic, "a code object");
}

std::vector<std::byte> encode(const TranslateRequest& request) {
  return wire::write(wire::kRequestMagic, request);
}

Result<TranslateRequest> decode_translate_request(std::span<const std::byte> bytes) {
  return wire::read<TranslateRequest>(bytes, wire::kRequestMagic, "a translation request");
}

std::vector<std::byte> encode_reply(const Result<CodeObject>& reply) {
  wire::ByteSink sink;
  wire::Out<wire::ByteSink> out(sink);
  out(wire::kReplyMagic, wire::kVersion, reply.ok());
  if (reply.ok())
    out(reply.value());
  else
    out(reply.error());
  return std::move(sink.bytes);
}

Result<Result<CodeObject>> wire::read_reply(std::span<const std::byte> bytes) {
  In in(bytes);
  check_head(in, kReplyMagic);
  bool success = false;
  CodeObject code_object;
  Error error;
  in(success);
  if (success)
    in(code_object);
  else
    in(error);
  if (in.ok() && !in.at_end()) in.fail("bytes follow its end");
  if (in.ok() && !success && error.code == CUDA_SUCCESS) in.fail("an error carries the code of success");
  if (!in.ok()) return damaged("a worker's reply", in);
  if (success) return Result<CodeObject>(std::move(code_object));
  return Result<CodeObject>(std::move(error));
}

Result<CodeObject> decode_reply(std::span<const std::byte> bytes) {
  auto reply = wire::read_reply(bytes);
  if (!reply.ok()) return std::move(reply).error();
  return std::move(reply).value();
}

} // namespace ptxshim
