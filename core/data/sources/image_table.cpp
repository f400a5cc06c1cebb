// SPDX-License-Identifier: Apache-2.0
#include "core/data/sources/image_table.h"

#include "core/base/memory_guard.h"
#include "core/base/utf8.h"
#include "storage/io/files.h"

#include <fmt/core.h>

namespace cannery::data {

std::optional<Result<PictureFacts>> PictureLedger::find(std::size_t index) const
{
    const std::lock_guard lock(m_mutex);
    if (m_known[index] == 0) {
        return std::nullopt;
    }
    const auto fault = m_faults.find(index);
    return fault == m_faults.end() ? Result<PictureFacts>(m_facts[index])
                                   : tl::make_unexpected(fault->second);
}

void PictureLedger::note(std::size_t index, const Result<PictureFacts>& facts)
{
    // Room that is missing now may be there next time.
    if (!facts && facts.error().id == kNoMemoryId) {
        return;
    }
    const std::lock_guard lock(m_mutex);
    m_faults.erase(index);
    if (facts) {
        m_facts[index] = *facts;
    } else {
        m_faults.emplace(index, facts.error());
    }
    m_known[index] = 1;
}

Result<std::string> ImageTable::bytesOf(std::size_t index) const
{
    return storage::readWholeFile(listing.paths[index], storage::kMostImageBytes);
}

Result<storage::Image> ImageTable::decode(std::size_t index, const Result<std::string>& bytes) const
{
    const storage::ImageOptions options = maker.imageOptions();
    Result<storage::Image> image =
        bytes ? storage::readImage(*bytes, toUtf8(listing.paths[index]), options)
              : tl::make_unexpected(bytes.error());
    if (image) {
        ledger->note(index, PictureFacts{.height = image->height,
                                         .width = image->width,
                                         .format = image->format,
                                         .isTurned = options.upright && image->orientation != 1});
    } else {
        ledger->note(index, tl::make_unexpected(image.error()));
    }
    return image;
}

Result<PictureFacts> ImageTable::factsOf(std::size_t index) const
{
    if (std::optional<Result<PictureFacts>> known = ledger->find(index)) {
        return *std::move(known);
    }
    CANNERY_TRY(decode(index, bytesOf(index)));
    std::optional<Result<PictureFacts>> known = ledger->find(index);
    return *std::move(known);
}

std::string ImageTable::text(ImageColumn column, std::size_t index, const PictureFacts& facts) const
{
    switch (column) {
    case ImageColumn::Image:
        return fmt::format("{}, {} × {}", storage::name(facts.format), facts.width, facts.height);
    case ImageColumn::Label:
        // Names of folders may have any bytes.
        return toUtf8(listing.classes[listing.classOf[index]]);
    case ImageColumn::Path:
        break;
    }
    return toUtf8(listing.relative(index));
}

} // namespace cannery::data
