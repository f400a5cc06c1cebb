// SPDX-License-Identifier: Apache-2.0
#include "tests/support/opened_files.h"

#include <QFile>
#include <QtGlobal>

#include <sys/inotify.h>
#include <unistd.h>

#include <array>

namespace cannery::tests {

OpenedFiles::OpenedFiles(const QString& folder) : m_watch(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC))
{
    if (m_watch < 0 ||
        ::inotify_add_watch(m_watch, QFile::encodeName(folder).constData(), IN_OPEN) < 0) {
        qFatal("the folder %s cannot be watched", qPrintable(folder));
    }
}

OpenedFiles::~OpenedFiles()
{
    ::close(m_watch);
}

QStringList OpenedFiles::names() const
{
    alignas(inotify_event) std::array<char, 16 * 1024> bytes{};
    ssize_t count = 0;
    while ((count = ::read(m_watch, bytes.data(), bytes.size())) > 0) {
        for (ssize_t at = 0; at < count;) {
            const auto* event = reinterpret_cast<const inotify_event*>(bytes.data() + at);
            const QString name = event->len > 0 ? QFile::decodeName(event->name) : QString();
            if (!name.isEmpty() && !m_names.contains(name)) {
                m_names.append(name);
            }
            at += static_cast<ssize_t>(sizeof(inotify_event) + event->len);
        }
    }
    m_names.sort();
    return m_names;
}

} // namespace cannery::tests
