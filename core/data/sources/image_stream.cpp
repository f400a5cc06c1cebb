// SPDX-License-Identifier: Apache-2.0
#include "core/data/sources/image_stream.h"

#include "core/base/memory_guard.h"
#include "core/base/utf8.h"
#include "core/data/sources/refused_rows.h"
#include "core/data/typing/typed_column.h"
#include "storage/tabular/ordered_blocks.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace cannery::data {

namespace {

using storage::TableChunk;
using storage::TableColumn;

constexpr ErrorKind kUnusableCell{
    "image_folder.unusable_row",
    "{}: the value \"{}\" of column {} {}. Correct it, or set bad_rows to SKIP."};

/// A thread's working memory.
struct Scratch
{
    std::size_t index = 0;
    std::optional<Result<std::string>> bytes; ///< unless the picture need not be read
};

/// A row, or why there is none.
struct Parsed
{
    std::optional<TableChunk> chunk;
    std::size_t index = 0;
    std::optional<Error> fault; ///< of the picture
    bool isTurned = false;
    std::optional<Error> error; ///< that ends the pass
    bool isEnd = false;
};

class ImageStream final : public ChunkStream
{
public:
    ImageStream(const ImageTable& table, std::vector<ImageColumnRequest> columns,
                const ChunkRequest& request)
        : m_table(table), m_columns(std::move(columns)), m_maxRows(request.maxRows),
          m_wantsPixels(std::ranges::any_of(m_columns, &ImageColumnRequest::isPixels)),
          m_refused(request.maxRefused), m_blocks(steps(), request.threads, m_table.listing.folder)
    {
        if (request.fingerprint) {
            m_fingerprint.emplace();
        }
    }

    Result<std::optional<TableChunk>> next() override
    {
        return m_guard.run(m_table.listing.folder, [this] { return read(); });
    }

    ReadReport report() const override
    {
        ReadReport report = m_refused.report(m_rows);
        if (m_turned > 0) {
            report.warnings.push_back(fmt::format(
                "{} pictures were turned as their EXIF orientation says; 'upright: false' in the "
                "source reads them as TensorFlow does",
                m_turned));
        }
        return report;
    }

    std::vector<RefusedRow> refused(std::size_t from) const override
    {
        return m_refused.from(from);
    }

    std::optional<std::string> fingerprint() const override
    {
        const bool isWhole =
            m_fingerprint && m_fingerprint->files() == m_table.listing.paths.size();
        // A stream that was stopped has not seen the rest.
        return isWhole ? std::optional(m_fingerprint->text()) : std::nullopt;
    }

private:
    storage::OrderedBlocks<Scratch, Parsed>::Steps steps()
    {
        return {.makeScratch = [] { return std::make_unique<Scratch>(); },
                .read = [this](Scratch& scratch) { return take(scratch); },
                .parse = [this](Scratch& scratch) { return parse(scratch); }};
    }

    /// One thread at a time.
    Result<bool> take(Scratch& scratch)
    {
        if (m_next == m_table.listing.paths.size()) {
            return false;
        }
        scratch.index = m_next++;
        scratch.bytes.reset();
        if (m_wantsPixels || m_fingerprint || !m_table.ledger->find(scratch.index)) {
            scratch.bytes = m_table.bytesOf(scratch.index);
        }
        if (m_fingerprint) {
            addToFingerprint(m_table, scratch.index, scratch.bytes->value_or(std::string()),
                             *m_fingerprint);
        }
        return true;
    }

    Parsed parse(const Scratch& scratch) const
    {
        Parsed parsed{.index = scratch.index};
        // In a thread of the pool nobody else would catch it.
        const Result<void> made = guardMemory(m_table.listing.folder, [&]() -> Result<void> {
            Result<TableChunk> chunk = makeRow(scratch, parsed.isTurned);
            if (chunk) {
                parsed.chunk = std::move(*chunk);
            } else if (chunk.error().id == kNoMemoryId) {
                // It says nothing about the picture.
                parsed.error = std::move(chunk).error();
            } else {
                parsed.fault = std::move(chunk).error();
            }
            return {};
        });
        if (!made) {
            parsed.error = made.error();
        }
        return parsed;
    }

    Result<TableChunk> makeRow(const Scratch& scratch, bool& isTurned) const
    {
        const std::size_t index = scratch.index;
        std::optional<Result<PictureFacts>> facts = m_table.ledger->find(index);
        std::vector<float> pixels;
        if (m_wantsPixels || !facts) {
            CANNERY_TRY_ASSIGN(const storage::Image image, m_table.decode(index, *scratch.bytes));
            if (m_wantsPixels) {
                pixels = m_table.maker.make(image);
            }
            facts = m_table.ledger->find(index);
        }
        CANNERY_TRY_ASSIGN(const PictureFacts known, *facts);
        isTurned = known.isTurned;
        TableChunk chunk{.rows = 1, .file = index, .lines = {1}, .offsets = {0}, .textEnd = 1};
        for (const ImageColumnRequest& wanted : m_columns) {
            if (wanted.isPixels()) {
                TableColumn& column = chunk.columns.emplace_back(
                    TableColumn{.name = wanted.as, .dtype = DType::Float32, .values = pixels});
                column.width = pixels.size();
                continue;
            }
            CANNERY_TRY_ASSIGN(TableColumn column, textCell(wanted, index, known));
            chunk.columns.push_back(std::move(column));
        }
        return chunk;
    }

    Result<TableColumn> textCell(const ImageColumnRequest& wanted, std::size_t index,
                                 const PictureFacts& facts) const
    {
        TypedColumn cell(wanted.as, wanted.dtype, wanted.missingTokens, wanted.notation);
        cell.start(1);
        const std::string text = m_table.text(wanted.column, index, facts);
        if (const CellFault fault = cell.setText(0, text); fault != CellFault::None) {
            return fail(ErrorCode::InvalidArgument, kUnusableCell,
                        toUtf8(m_table.listing.paths[index]), text, wanted.as, describe(fault));
        }
        return cell.finish(1);
    }

    Result<std::optional<TableChunk>> read()
    {
        const bool isEnough = m_maxRows > 0 && m_rows >= m_maxRows;
        while (!isEnough) {
            Parsed parsed = m_blocks.next();
            if (parsed.error) {
                return tl::make_unexpected(std::move(*parsed.error));
            }
            if (parsed.isEnd) {
                break;
            }
            if (parsed.fault) {
                CANNERY_TRY(refuse(parsed.index, std::move(*parsed.fault)));
                continue;
            }
            m_turned += parsed.isTurned ? 1 : 0;
            parsed.chunk->firstRow = m_rows++;
            return std::move(parsed.chunk);
        }
        return std::optional<TableChunk>();
    }

    Result<void> refuse(std::size_t index, Error fault)
    {
        if (!m_table.skipBadRows) {
            return tl::make_unexpected(
                std::move(fault).with("'bad_rows: SKIP' in data leaves such pictures out"));
        }
        m_refused.add({index, 1, 0, std::move(fault.sentence)});
        return {};
    }

    const ImageTable& m_table;
    std::vector<ImageColumnRequest> m_columns;
    std::uint64_t m_maxRows;
    bool m_wantsPixels;
    std::optional<DataFingerprint> m_fingerprint;
    ReadGuard m_guard; ///< a picture that was taken is not returned again
    std::size_t m_next = 0;
    std::uint64_t m_rows = 0;
    std::uint64_t m_turned = 0;
    RefusedRows m_refused;

    storage::OrderedBlocks<Scratch, Parsed> m_blocks; ///< uses the members above
};

} // namespace

void addToFingerprint(const ImageTable& table, std::size_t index, const std::string& bytes,
                      DataFingerprint& fingerprint)
{
    // With its end, so that a name cannot be taken for the beginning of the bytes.
    const std::string path = table.listing.relative(index) + '\0';
    fingerprint.see(std::as_bytes(std::span(path)));
    fingerprint.see(std::as_bytes(std::span(bytes)));
    fingerprint.endFile();
}

std::unique_ptr<ChunkStream> streamImages(const ImageTable& table,
                                          std::vector<ImageColumnRequest> columns,
                                          const ChunkRequest& request)
{
    return std::make_unique<ImageStream>(table, std::move(columns), request);
}

} // namespace cannery::data
