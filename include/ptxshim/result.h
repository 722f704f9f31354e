// SPDX-License-Identifier: MIT
// Errors as values, across every contract of include/ptxshim. An Error says which CUresult an application would get
// and, in words, what and where; Result<T> is either a value or an Error (C++20 with g++ 12 has no std::expected).
#pragma once

#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "ptxshim/cuda_result.h"

namespace ptxshim {

struct Error {
  CUresult code = CUDA_ERROR_UNKNOWN;
  std::string message;

  // Adds context in front of the message: the stage that failed does it once.
  Error&& in(std::string_view where) && {
    message.insert(0, std::string(where) + ": ");
    return std::move(*this);
  }
};

template <class T> class [[nodiscard]] Result {
public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const noexcept { return state_.index() == 0; }
  explicit operator bool() const noexcept { return ok(); }

  T& value() & { return *checked(); }
  const T& value() const& { return *const_cast<Result*>(this)->checked(); }
  T&& value() && { return std::move(*checked()); }
  T& operator*() & { return *checked(); }
  const T& operator*() const& { return *const_cast<Result*>(this)->checked(); }
  T* operator->() { return checked(); }
  const T* operator->() const { return const_cast<Result*>(this)->checked(); }

  Error& error() & {
    if (ok()) std::abort();
    return *std::get_if<1>(&state_);
  }
  const Error& error() const& { return const_cast<Result*>(this)->error(); }
  Error&& error() && { return std::move(error()); }

private:
  T* checked() {
    if (!ok()) std::abort(); // A programming error: the caller did not look.
    return std::get_if<0>(&state_);
  }
  std::variant<T, Error> state_;
};

template <> class [[nodiscard]] Result<void> {
public:
  Result() = default;
  Result(Error error) : failed_(true), error_(std::move(error)) {}
  bool ok() const noexcept { return !failed_; }
  explicit operator bool() const noexcept { return ok(); }
  Error& error() & { return error_; }
  const Error& error() const& { return error_; }
  Error&& error() && { return std::move(error_); }

private:
  bool failed_ = false;
  Error error_;
};

} // namespace ptxshim
