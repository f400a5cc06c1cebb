// SPDX-License-Identifier: GPL-3.0-only
#include "ui/services/runs/event_tailer.h"

#include <algorithm>
#include <utility>

namespace cannery::ui {

void EventTailer::restore(std::vector<EventFileState> files, storage::ScalarTags tags)
{
    m_scanner.reset();
    m_tags = std::move(tags);
    m_list.restore(std::move(files));
}

std::optional<std::uint32_t> EventTailer::read(std::vector<storage::ScalarPoint>& points,
                                               std::size_t limit)
{
    EventFileState* file = m_list.next();
    if (!file) {
        m_scanner.reset();
        return std::nullopt;
    }
    const auto stop = [&](const std::string& problem) {
        m_scanner.reset();
        m_list.exhaust(*file, problem);
        return file->number;
    };
    if (!m_scanner || m_current != file->number) {
        auto scanner =
            storage::ScalarEventScanner::open(m_list.pathOf(*file), m_tags, file->position);
        if (!scanner) {
            return stop(scanner.error().message());
        }
        m_scanner = std::move(*scanner);
        m_current = file->number;
    }
    // Counted here: a piece that ends in an error was read as well.
    const std::uint64_t before = m_scanner->bytesRead();
    const Result<bool> more =
        m_scanner->read(points, limit, std::min(m_list.bytesPerFile(), std::uint64_t{32} << 20U));
    m_bytesRead += m_scanner->bytesRead() - before;
    file->position = m_scanner->position();
    if (!more) {
        return stop(more.error().message());
    }
    return *more ? file->number : stop({});
}

} // namespace cannery::ui
