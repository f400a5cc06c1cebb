// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <new>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <utility>

namespace cannery {

namespace detail {
/// Does not allocate if no memory is left; the sentence is then shorter.
Error noMemoryError(std::string_view what) noexcept;
} // namespace detail

/// The id of the error returned by guardMemory(), under ResourceExhausted.
inline constexpr std::string_view kNoMemoryId = "base.no_memory";

/// The one place where running out of memory becomes an Error: runs `work`, which returns a Result,
/// and converts std::bad_alloc and std::length_error (an impossible size). `what` says what was
/// being read: "the checkpoint model.ckpt-7". Used at the public entry points of everything that
/// reads foreign files; may be nested.
template <typename Work>
std::invoke_result_t<Work> guardMemory(std::string_view what, Work&& work)
{
    try {
        return std::forward<Work>(work)();
    } catch (const std::bad_alloc&) {
    } catch (const std::length_error&) {
    }
    return tl::make_unexpected(detail::noMemoryError(what));
}

/// guardMemory() for a reader that cannot continue after an error: it keeps returning its first
/// error and never reads past what it has lost. One thread.
class ReadGuard
{
public:
    template <typename Work>
    std::invoke_result_t<Work> run(std::string_view what, Work&& work)
    {
        using Read = std::invoke_result_t<Work>;
        if (!m_first) {
            Read read = guardMemory(what, std::forward<Work>(work));
            if (read) {
                return read;
            }
            m_first = std::move(read).error();
        }
        return guardMemory(what, [this]() -> Read { return tl::make_unexpected(*m_first); });
    }

private:
    std::optional<Error> m_first;
};

} // namespace cannery
