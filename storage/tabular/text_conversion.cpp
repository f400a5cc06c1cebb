// SPDX-License-Identifier: Apache-2.0
#include "storage/tabular/text_conversion.h"

#include "storage/tabular/csv/csv_block_reader.h"
#include "storage/tabular/text_stream.h"

#include <memory>
#include <span>
#include <utility>

namespace cannery::storage {

Result<ByteSource> openText(const CsvFiles& files, std::size_t file, ByteSource bytes)
{
    const OtherTexts others = files.conversion ? OtherTexts::Read : OtherTexts::Refused;
    CANNERY_TRY_ASSIGN(TextStream opened, TextStream::open(std::move(bytes), files.dialect.encoding,
                                                           files.paths[file], others));
    auto stream = std::make_shared<TextStream>(std::move(opened));
    ByteSource text = [stream](std::span<std::byte> room) { return stream->read(room); };
    return files.conversion ? files.conversion->convert(std::move(text), file) : std::move(text);
}

} // namespace cannery::storage
