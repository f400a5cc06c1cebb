// SPDX-License-Identifier: Apache-2.0
#include "storage/io/zipped_table.h"

#include "core/base/folded_case.h"
#include "storage/io/files.h"
#include "storage/io/readable_file.h"
#include "storage/io/zip_archive.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace cannery::storage {

namespace {

constexpr ErrorKind kSeveralTables{
    "zip.several_tables", "The zip archive {} has several files: {}. Unpack it, and name the one "
                          "to read, or several with the same columns."};

constexpr std::size_t kNamed = 5;

/// The files that are named as tables; those whose names may also be of texts about them, such as
/// readme.txt, only if there are no others.
std::vector<const ZipEntry*> namedAsTables(const std::vector<const ZipEntry*>& files)
{
    static constexpr std::array<std::string_view, 5> kEnds = {".csv", ".tsv", ".tab", ".data",
                                                              ".dat"};
    std::vector<const ZipEntry*> tables;
    std::vector<const ZipEntry*> texts;
    for (const ZipEntry* file : files) {
        const std::string name = foldedCase(file->name);
        if (std::any_of(kEnds.begin(), kEnds.end(),
                        [&](std::string_view end) { return name.ends_with(end); })) {
            tables.push_back(file);
        } else if (name.ends_with(".txt")) {
            texts.push_back(file);
        }
    }
    return tables.empty() ? texts : tables;
}

/// Folders, and what systems add of their own.
bool isAside(const ZipEntry& entry)
{
    return entry.name.ends_with('/') || entry.name.starts_with("__MACOSX/") ||
           baseName(entry.name).starts_with('.');
}

bool isOfSpreadsheet(const ZipEntry& entry)
{
    return entry.name == "[Content_Types].xml" || entry.name == "mimetype";
}

} // namespace

bool isZipMark(std::span<const std::byte> start)
{
    return std::string_view(reinterpret_cast<const char*>(start.data()), start.size()) == kZipMark;
}

bool beginsAsZip(const std::string& path)
{
    const Result<ReadableFile> file = ReadableFile::open(path);
    std::array<std::byte, kZipMark.size()> start{};
    const std::size_t got = file ? file->readAt(0, start).value_or(0) : 0;
    return isZipMark(std::span(start).first(got));
}

Result<std::optional<ByteSource>> openZippedTable(const std::string& path)
{
    if (!beginsAsZip(path)) {
        return std::optional<ByteSource>();
    }
    const Result<ZipArchive> archive = ZipArchive::open(path);
    if (!archive ||
        std::any_of(archive->entries().begin(), archive->entries().end(), isOfSpreadsheet)) {
        return std::optional<ByteSource>();
    }
    std::vector<const ZipEntry*> files;
    for (const ZipEntry& entry : archive->entries()) {
        if (!isAside(entry)) {
            files.push_back(&entry);
        }
    }
    const std::vector<const ZipEntry*> tables = namedAsTables(files);
    const std::vector<const ZipEntry*>& found = tables.empty() ? files : tables;
    if (found.empty()) {
        return std::optional<ByteSource>();
    }
    if (found.size() > 1) {
        std::string names;
        for (std::size_t i = 0; i < std::min(found.size(), kNamed); ++i) {
            names += (i == 0 ? "" : ", ") + found[i]->name;
        }
        names += found.size() > kNamed ? fmt::format(" and {} more", found.size() - kNamed) : "";
        return fail(ErrorCode::InvalidArgument, kSeveralTables, path, names);
    }
    CANNERY_TRY_ASSIGN(ByteSource bytes, archive->read(*found.front()));
    return std::optional(std::move(bytes));
}

} // namespace cannery::storage
