// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/core.h>
#include <tl/expected.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace cannery {

/// TensorFlow's (and gRPC's) status codes, with their numbers.
enum class ErrorCode
{
    Cancelled = 1,
    Unknown = 2,
    InvalidArgument = 3,
    DeadlineExceeded = 4,
    NotFound = 5,
    AlreadyExists = 6,
    PermissionDenied = 7,
    ResourceExhausted = 8,
    FailedPrecondition = 9,
    Aborted = 10,
    OutOfRange = 11,
    Unimplemented = 12,
    Internal = 13,
    Unavailable = 14,
    DataLoss = 15,
};

/// TensorFlow's name of a code: "INVALID_ARGUMENT".
std::string_view name(ErrorCode code);

/// A kind of failure: a stable id that tests and translations refer to, and the English sentence
/// with fmt placeholders for its arguments. Define one as a constexpr next to the code that fails:
/// `constexpr ErrorKind kRowTooShort{"csv.row_too_short", "Row {} has {} fields, not {}."};`
struct ErrorKind
{
    std::string_view id;
    std::string_view sentence;
};

/// What went wrong, for the user: the sentence says what, where and how to fix it.
struct Error
{
    ErrorCode code = ErrorCode::Unknown;
    std::string id;                     ///< ErrorKind::id
    std::vector<std::string> arguments; ///< of the sentence, in order
    std::string sentence;               ///< English, complete
    std::string path;                   ///< field path in the experiment, or empty
    std::vector<std::string> notes;     ///< added on the way up: "reading column age"

    /// The sentence, then the notes in brackets: "Cannot open a.csv. [reading column age]".
    std::string message() const;

    /// The same error with another note about where it happened.
    Error&& with(std::string note) &&;
    /// The same error, bound to a field of the experiment.
    Error&& at(std::string fieldPath) &&;

    bool operator==(const Error&) const = default;
};

namespace detail {
Error buildError(ErrorCode code, const ErrorKind& kind, std::vector<std::string> arguments);
} // namespace detail

/// Makes an Error; every argument is formatted with fmt's "{}".
template <typename... Arguments>
Error error(ErrorCode code, const ErrorKind& kind, const Arguments&... arguments)
{
    return detail::buildError(code, kind, {fmt::format("{}", arguments)...});
}

/// The same, ready to be returned from a function that returns a Result.
template <typename... Arguments>
tl::unexpected<Error> fail(ErrorCode code, const ErrorKind& kind, const Arguments&... arguments)
{
    return tl::make_unexpected(error(code, kind, arguments...));
}

} // namespace cannery
