// SPDX-License-Identifier: Apache-2.0
#include "app/predict_library/last_error.h"

#include <string>

namespace cannery::app {

namespace {

constexpr ErrorKind kException{"predict.exception",
                               "The model could not be used: {}. Raise the limits of the process, "
                               "or report a bug of Cannery."};

struct LastError
{
    std::string message;
    std::string id;
    bool isTooLong = false; ///< there was no memory for it
};

thread_local LastError lastError;

} // namespace

const char* lastErrorMessage() noexcept
{
    return lastError.isTooLong ? "There is not enough memory." : lastError.message.c_str();
}

const char* lastErrorId() noexcept
{
    return lastError.isTooLong ? kNoMemoryId.data() : lastError.id.c_str();
}

cannery_status keepError(const Error& error) noexcept
{
    try {
        lastError.message = error.message();
        lastError.id = error.id;
        lastError.isTooLong = false;
    } catch (...) {
        lastError.isTooLong = true;
    }
    return static_cast<cannery_status>(error.code);
}

cannery_status keepException(const char* what) noexcept
{
    try {
        return keepError(error(ErrorCode::Internal, kException, what));
    } catch (...) {
        lastError.isTooLong = true;
        return CANNERY_RESOURCE_EXHAUSTED;
    }
}

} // namespace cannery::app
