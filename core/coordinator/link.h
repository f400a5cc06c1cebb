// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/coordinator/news.h"
#include "core/coordinator/wire.h"

#include <memory>
#include <string>

namespace cannery::coordinator {

/// The longest message in either direction, in bytes.
inline constexpr int kLongestMessage = 16 << 20;

/// A member's end of one connection to the coordinator; it is not opened a second time.
class Link
{
public:
    /// Called on threads of the library: must not wait.
    class Listener
    {
    public:
        virtual ~Listener() = default;
        virtual void received(const News& news) = 0;
        /// Once, at the end, or when no connection came about. The reason is for the user.
        virtual void closed(const std::string& reason) = 0;
    };

    /// `target`: as from resolve(). The listener must outlive the link.
    Link(const std::string& target, Listener& listener);
    /// Closes it, dropping what has not been sent. Nothing calls the listener afterwards.
    ~Link();
    Link(const Link&) = delete;
    Link& operator=(const Link&) = delete;

    /// Never waits; ignored after the end. Any thread.
    void send(wire::Report report);

private:
    class Private;
    std::unique_ptr<Private> m_private;
};

} // namespace cannery::coordinator
