// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <string_view>
#include <system_error>
#include <tl/expected.hpp>
#include <utility>

namespace cannery {

/// Owns a file descriptor and closes it. -1: owns none.
class Descriptor
{
public:
    explicit Descriptor(int number = -1) noexcept : m_number(number) {}
    Descriptor(Descriptor&& other) noexcept : m_number(other.release()) {}
    Descriptor& operator=(Descriptor&& other) noexcept
    {
        std::swap(m_number, other.m_number);
        return *this;
    }
    ~Descriptor() { close(); }

    int number() const { return m_number; }
    /// The caller closes it.
    int release() { return std::exchange(m_number, -1); }
    void close();

private:
    int m_number;
};

struct Pipe
{
    Descriptor reading;
    Descriptor writing;
};

/// A new pipe that programs started later do not inherit, above the standard streams even where
/// those are closed. Otherwise the system's reason.
tl::expected<Pipe, std::error_code> openPipe();

enum class ReadResult
{
    Bytes,
    Nothing, ///< yet
    End,     ///< the other end is closed
};

/// Waits at most `patience`, or until a signal arrives, for bytes of a pipe, and passes on those
/// that are there, at most 64 KiB.
ReadResult readSome(int descriptor, std::chrono::milliseconds patience,
                    const std::function<void(std::string_view)>& take);

} // namespace cannery
