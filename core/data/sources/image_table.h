// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/data/sources/image_listing.h"
#include "core/data/sources/picture_maker.h"
#include "core/data/typing/schema.h"

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::data {

/// What decoding has shown of a picture.
struct PictureFacts
{
    std::int64_t height = 0;
    std::int64_t width = 0;
    storage::ImageFormat format = storage::ImageFormat::Jpeg;
    bool isTurned = false; ///< by its EXIF orientation
};

/// The pictures as far as they are known. Whether a picture is damaged decides which rows there
/// are, so each is decoded once even if no pixels are wanted; later passes look here. Thread-safe.
class PictureLedger
{
public:
    explicit PictureLedger(std::size_t pictures) : m_facts(pictures), m_known(pictures, 0) {}

    /// Facts, or why there are none; nothing if the picture was not decoded yet.
    std::optional<Result<PictureFacts>> find(std::size_t index) const;
    void note(std::size_t index, const Result<PictureFacts>& facts);

private:
    mutable std::mutex m_mutex; ///< guards the following
    std::vector<PictureFacts> m_facts;
    std::vector<std::uint8_t> m_known;
    std::map<std::size_t, Error> m_faults;
};

/// The columns of an image folder.
enum class ImageColumn
{
    Image, ///< as text, what kind of picture it is; as float32, its values
    Label,
    Path,
};

/// The rows of an image folder: a file each. Immutable but for the ledger; thread-safe.
struct ImageTable
{
    ImageListing listing;
    PictureMaker maker;
    TableSchema schema;
    std::vector<ImageColumn> columns; ///< of the schema
    bool skipBadRows = false;
    std::unique_ptr<PictureLedger> ledger;

    /// The bytes of a file. Errors: unreadable, or larger than pictures are.
    Result<std::string> bytesOf(std::size_t index) const;
    /// Decodes a picture and notes what it is. Errors: those of readImage(), which are noted too,
    /// and lack of memory.
    Result<storage::Image> decode(std::size_t index, const Result<std::string>& bytes) const;
    /// The facts, by decoding the picture if they are unknown.
    Result<PictureFacts> factsOf(std::size_t index) const;
    /// The text of a cell.
    std::string text(ImageColumn column, std::size_t index, const PictureFacts& facts) const;
};

} // namespace cannery::data
