// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/predict_library/cannery_predict.h"
#include "core/base/memory_guard.h"
#include "core/base/result.h"

#include <exception>

namespace cannery::app {

/// Of the calling thread.
const char* lastErrorMessage() noexcept;
const char* lastErrorId() noexcept;

/// Keeps an error as the thread's last one and returns its code.
cannery_status keepError(const Error& error) noexcept;
/// The same for an exception, which is one of a library's that no code of ours expects.
cannery_status keepException(const char* what) noexcept;

/// Runs work that returns a Result<void>; no exception leaves it.
template <typename Work>
cannery_status statusOf(const Work& work) noexcept
{
    try {
        const Result<void> done = guardMemory("what to predict", work);
        return done ? CANNERY_OK : keepError(done.error());
    } catch (const std::exception& thrown) {
        return keepException(thrown.what());
    } catch (...) {
        return keepException("an exception of unknown type");
    }
}

} // namespace cannery::app
