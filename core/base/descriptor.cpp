// SPDX-License-Identifier: Apache-2.0
#include "core/base/descriptor.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace cannery {

void Descriptor::close()
{
    if (m_number >= 0) {
        ::close(release());
    }
}

tl::expected<Pipe, std::error_code> openPipe()
{
    std::array<int, 2> ends{-1, -1};
    bool isOpen = pipe2(ends.data(), O_CLOEXEC) == 0;
    Pipe pipe{.reading = Descriptor(ends[0]), .writing = Descriptor(ends[1])};
    for (Descriptor* end : {&pipe.reading, &pipe.writing}) {
        if (isOpen && end->number() <= STDERR_FILENO) {
            *end = Descriptor(fcntl(end->number(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
            isOpen = end->number() >= 0;
        }
    }
    if (!isOpen) {
        return tl::make_unexpected(std::error_code(errno, std::generic_category()));
    }
    return pipe;
}

ReadResult readSome(int descriptor, std::chrono::milliseconds patience,
                    const std::function<void(std::string_view)>& take)
{
    // read() alone would need O_NONBLOCK to come back, and then everybody else who reads this pipe
    // would have to expect EAGAIN.
    pollfd wait{.fd = descriptor, .events = POLLIN, .revents = 0};
    if (poll(&wait, 1, static_cast<int>(patience.count())) <= 0) {
        return ReadResult::Nothing;
    }
    std::array<char, 65536> bytes{}; // what a pipe holds
    const ssize_t size = read(descriptor, bytes.data(), bytes.size());
    if (size > 0) {
        take(std::string_view(bytes.data(), static_cast<std::size_t>(size)));
        return ReadResult::Bytes;
    }
    return size < 0 && errno == EINTR ? ReadResult::Nothing : ReadResult::End;
}

} // namespace cannery
