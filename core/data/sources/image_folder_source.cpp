// SPDX-License-Identifier: Apache-2.0
#include "core/data/sources/image_folder_source.h"

#include "core/base/catalog.h"
#include "core/base/interruption.h"
#include "core/base/memory_guard.h"
#include "core/base/utf8.h"
#include "core/data/data_errors.h"
#include "core/data/rows/row_reader.h"
#include "core/data/sources/image_stream.h"
#include "core/data/sources/image_table.h"
#include "core/data/typing/column_settlement.h"
#include "core/data/typing/schema_index.h"
#include "core/spec/image_columns.h"
#include "storage/io/files.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

namespace cannery::data {

namespace {

constexpr std::int64_t kUsualSide = 160;
constexpr int kColours = 3;
/// Enough to see whether the pictures of a folder are all alike.
constexpr std::size_t kMostLookedAt = 16;

std::string_view name(ImageColumn column)
{
    switch (column) {
    case ImageColumn::Image:
        return spec::kImageColumn;
    case ImageColumn::Label:
        return spec::kImageLabelColumn;
    case ImageColumn::Path:
        break;
    }
    return spec::kImagePathColumn;
}

/// Single rows, decoded again if what they are is unknown.
class ImageRowReader final : public RowReader
{
public:
    explicit ImageRowReader(const ImageTable& table) : m_table(table) {}

    Result<std::vector<std::vector<std::string>>> read(const RowRange& range) const override
    {
        return guardMemory(m_table.listing.folder,
                           [&]() -> Result<std::vector<std::vector<std::string>>> {
                               std::vector<std::vector<std::string>> rows;
                               const Result<PictureFacts> facts = m_table.factsOf(range.file);
                               // A pass leaves it out.
                               if (facts) {
                                   rows.push_back(cells(range.file, *facts));
                               }
                               return rows;
                           });
    }

    Result<std::string> rowText(std::size_t file, std::uint64_t /*offset*/) const override
    {
        return toUtf8(m_table.listing.relative(file));
    }

    std::optional<std::string> cellOfRefused(std::size_t file, std::uint64_t /*offset*/,
                                             const std::string& column) const override
    {
        const std::vector<ColumnSchema>& columns = m_table.schema.columns;
        const auto found = std::ranges::find(columns, column, &ColumnSchema::name);
        // Of a damaged picture only its names are known.
        const bool isKnown =
            found != columns.end() && m_table.columns[found->index] != ImageColumn::Image;
        return isKnown ? std::optional(m_table.text(m_table.columns[found->index], file, {}))
                       : std::nullopt;
    }

    Result<void> reach(std::size_t /*file*/, std::uint64_t /*end*/) const override { return {}; }

private:
    std::vector<std::string> cells(std::size_t index, const PictureFacts& facts) const
    {
        std::vector<std::string> texts;
        for (const ImageColumn column : m_table.columns) {
            texts.push_back(m_table.text(column, index, facts));
        }
        return texts;
    }

    const ImageTable& m_table;
};

class ImageFolderSource final : public DataSource
{
public:
    explicit ImageFolderSource(ImageTable table) : m_table(std::move(table)) {}

    const TableSchema& schema() const override { return m_table.schema; }
    const std::vector<std::string>& files() const override { return m_table.listing.paths; }

    Result<std::string> fingerprint() const override
    {
        DataFingerprint fingerprint;
        for (std::size_t index = 0; index < m_table.listing.paths.size(); ++index) {
            // Folders of gigabytes take minutes.
            CANNERY_TRY(goOnUnlessInterrupted());
            addToFingerprint(m_table, index, m_table.bytesOf(index).value_or(std::string()),
                             fingerprint);
        }
        return fingerprint.text();
    }

    Result<std::unique_ptr<ChunkStream>> read(const ChunkRequest& request) const override
    {
        std::vector<ImageColumnRequest> columns;
        const SchemaIndex known(m_table.schema);
        for (const ColumnRequest& wanted : request.columns) {
            const ColumnSchema* column = known.find(wanted.column);
            if (column == nullptr) {
                return fail(ErrorCode::NotFound, kNoSuchColumn, m_table.listing.folder,
                            wanted.column, suggestion(wanted.column, m_table.schema.names()));
            }
            columns.push_back({.column = m_table.columns[column->index],
                               .as = wanted.as.empty() ? column->name : wanted.as,
                               .dtype = wanted.dtype.value_or(column->dtype),
                               .missingTokens = column->missingTokens,
                               .notation = column->notation});
        }
        return streamImages(m_table, std::move(columns), request);
    }

    Result<std::unique_ptr<RowReader>> rowReader() const override
    {
        return std::unique_ptr<RowReader>(std::make_unique<ImageRowReader>(m_table));
    }

    Result<std::vector<std::vector<std::string>>> preview(std::size_t maxRows) const override
    {
        // Damaged pictures are left out of a preview; a pass reports them.
        const ImageRowReader reader(m_table);
        std::vector<std::vector<std::string>> rows;
        for (std::size_t index = 0; index < m_table.listing.paths.size() && rows.size() < maxRows;
             ++index) {
            CANNERY_TRY_ASSIGN(auto row, reader.read({.file = index, .begin = 0, .end = 1}));
            std::move(row.begin(), row.end(), std::back_inserter(rows));
        }
        return rows;
    }

private:
    ImageTable m_table;
};

/// A column as the names alone tell it.
ColumnSchema columnOf(ImageColumn which, std::size_t index, const ImageTable& table,
                      ColumnKinds kinds)
{
    ColumnSchema column{.name = std::string(name(which)),
                        .index = index,
                        .values = table.listing.paths.size(),
                        .texts = table.listing.paths.size()};
    switch (which) {
    case ImageColumn::Image:
        column.reason = "a picture; as a feature, its values";
        column.kind = ColumnKind::FreeText;
        column.kindReason = "a picture";
        column.dense = DenseCells{.dtype = DType::Float32, .shape = table.maker.shape()};
        break;
    case ImageColumn::Label:
        column.reason = "names of folders";
        column.kind =
            table.listing.classes.size() > 1 ? ColumnKind::Category : ColumnKind::Constant;
        column.kindReason = fmt::format("{} folders", table.listing.classes.size());
        column.distinct = table.listing.classes.size();
        break;
    case ImageColumn::Path:
        column.reason = "names of files";
        column.kind = ColumnKind::Identifier;
        column.kindReason = "every picture has a path of its own";
        column.distinct = std::min<std::uint64_t>(column.values, ColumnSchema::kDistinctLimit);
        break;
    }
    if (kinds == ColumnKinds::Unknown) {
        column.kindReason.clear();
        column.distinct = 0;
    }
    return column;
}

Result<std::unique_ptr<DataSource>> openFolder(const spec::DataSource& source,
                                               const SourceOptions& options)
{
    const spec::ImageFolderSource& message = source.image_folder();
    ImageTable table{.maker = PictureMaker(message),
                     .skipBadRows = options.badRows == spec::BadRows::SKIP};
    CANNERY_TRY_ASSIGN(table.listing, listImages(storage::joinPath(options.folder, message.path()),
                                                 message.split()));
    table.ledger = std::make_unique<PictureLedger>(table.listing.paths.size());
    table.columns = {ImageColumn::Image};
    if (!table.listing.classes.empty()) {
        table.columns.push_back(ImageColumn::Label);
    }
    table.columns.push_back(ImageColumn::Path);
    table.schema.rowsSeen = table.listing.paths.size();
    table.schema.sawAllRows = true;
    table.schema.warnings = table.listing.warnings;
    for (const ImageColumn which : table.columns) {
        ColumnSchema column = columnOf(which, table.schema.columns.size(), table, options.kinds);
        column.missingTokens = missingTokensOf({}, options, column.name);
        column.notation = notationOf(options, column.name, '.');
        settle(options, column);
        table.schema.columns.push_back(std::move(column));
    }
    CANNERY_TRY(checkDescribedColumns(options, table.schema.names(), table.listing.folder));
    return std::unique_ptr<DataSource>(std::make_unique<ImageFolderSource>(std::move(table)));
}

} // namespace

Result<std::unique_ptr<DataSource>> openImageFolderSource(const spec::DataSource& source,
                                                          const SourceOptions& options)
{
    return guardMemory("an image folder", [&] { return openFolder(source, options); });
}

void setImageFolder(spec::DataSource& source, const std::vector<std::string>& files)
{
    spec::ImageFolderSource& message = *source.mutable_image_folder();
    message.set_path(files.empty() ? std::string() : files.front());
    // The folder is all that is read; the split would choose in it again.
    message.clear_split();
}

void describeImages(spec::DataSource& source)
{
    spec::ImageFolderSource& message = *source.mutable_image_folder();
    const Result<ImageListing> listing = listImages(message.path(), message.split());
    std::optional<storage::Image> first;
    bool haveOneSize = true;
    bool haveSameChannels = true;
    // Spread over the folder: the pictures of one class may be alike by chance.
    const std::size_t count = listing ? listing->paths.size() : 0;
    const std::size_t stride = std::max<std::size_t>(1, count / kMostLookedAt);
    for (std::size_t index = 0; index < count && haveOneSize; index += stride) {
        Result<storage::Image> image = storage::readImageFile(listing->paths[index]);
        // Damaged pictures are reported when they are read.
        if (!image) {
            continue;
        }
        if (!first) {
            first = std::move(*image);
            continue;
        }
        haveOneSize = first->height == image->height && first->width == image->width;
        haveSameChannels = haveSameChannels && first->channels == image->channels;
    }
    haveOneSize = haveOneSize && first;
    if (!message.has_height()) {
        message.set_height(haveOneSize ? first->height : kUsualSide);
    }
    if (!message.has_width()) {
        message.set_width(haveOneSize ? first->width : kUsualSide);
    }
    // A network learns slowly from values around 128.
    if (!message.has_range()) {
        message.set_range(spec::PictureRange::symmetric);
    }
    // Networks that others trained want three channels: only small pictures of one size are taken
    // for something else, such as digits.
    if (!message.has_channels() && haveOneSize && haveSameChannels && first->channels != kColours) {
        message.set_channels(first->channels);
    }
}

std::optional<DenseCells> pictureCells(const spec::DataSource& source, std::string_view column)
{
    // Of another source the message is empty, and a picture has a height.
    const spec::ImageFolderSource& message = source.image_folder();
    const bool isOne = message.has_height() && column == spec::kImageColumn;
    return isOne ? std::optional(
                       DenseCells{.dtype = DType::Float32, .shape = PictureMaker(message).shape()})
                 : std::nullopt;
}

std::optional<SplitPair> imageFolderSplits(const spec::DataSource& source)
{
    const spec::ImageFolderSource& message = source.image_folder();
    return message.split().empty() ? imageSplitsOf(message.path()) : std::nullopt;
}

} // namespace cannery::data
