// SPDX-License-Identifier: Apache-2.0
#include "core/base/error.h"

#include <fmt/args.h>
#include <fmt/ranges.h>

namespace cannery {

std::string_view name(ErrorCode code)
{
    switch (code) {
    case ErrorCode::Cancelled:
        return "CANCELLED";
    case ErrorCode::Unknown:
        return "UNKNOWN";
    case ErrorCode::InvalidArgument:
        return "INVALID_ARGUMENT";
    case ErrorCode::DeadlineExceeded:
        return "DEADLINE_EXCEEDED";
    case ErrorCode::NotFound:
        return "NOT_FOUND";
    case ErrorCode::AlreadyExists:
        return "ALREADY_EXISTS";
    case ErrorCode::PermissionDenied:
        return "PERMISSION_DENIED";
    case ErrorCode::ResourceExhausted:
        return "RESOURCE_EXHAUSTED";
    case ErrorCode::FailedPrecondition:
        return "FAILED_PRECONDITION";
    case ErrorCode::Aborted:
        return "ABORTED";
    case ErrorCode::OutOfRange:
        return "OUT_OF_RANGE";
    case ErrorCode::Unimplemented:
        return "UNIMPLEMENTED";
    case ErrorCode::Internal:
        return "INTERNAL";
    case ErrorCode::Unavailable:
        return "UNAVAILABLE";
    case ErrorCode::DataLoss:
        return "DATA_LOSS";
    }
    return "UNKNOWN";
}

std::string Error::message() const
{
    if (notes.empty()) {
        return sentence;
    }
    return fmt::format("{} [{}]", sentence, fmt::join(notes, "; "));
}

Error&& Error::with(std::string note) &&
{
    notes.push_back(std::move(note));
    return std::move(*this);
}

Error&& Error::at(std::string fieldPath) &&
{
    path = std::move(fieldPath);
    return std::move(*this);
}

Error detail::buildError(ErrorCode code, const ErrorKind& kind, std::vector<std::string> arguments)
{
    fmt::dynamic_format_arg_store<fmt::format_context> store;
    // By reference: the arguments outlive the formatting.
    for (const std::string& argument : arguments) {
        store.push_back(std::cref(argument));
    }
    Error result;
    result.code = code;
    result.id = std::string(kind.id);
    result.sentence =
        fmt::vformat(fmt::string_view(kind.sentence.data(), kind.sentence.size()), store);
    // Kept, as programs read the error by its parts.
    result.arguments = std::move(arguments);
    return result;
}

} // namespace cannery
