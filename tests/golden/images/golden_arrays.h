// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/io/files.h"
#include "storage/io/zip_archive.h"
#include "storage/tabular/npy_array.h"

#include <cstring>
#include <string>
#include <vector>

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace cannery::tests {

/// A folder of pictures and what TensorFlow makes of them, see README.md.
inline const std::string kPictureGoldens = CANNERY_SOURCE_DIR "/tests/golden/images/";

/// An array of a golden archive, of any dtype, as doubles.
struct GoldenArray
{
    std::vector<std::int64_t> shape;
    storage::NpyKind kind = storage::NpyKind::Float;
    std::size_t itemBytes = 0;
    std::vector<double> values;
};

template <typename T>
void appendItems(const std::string& bytes, std::vector<double>& values)
{
    for (std::size_t at = 0; at + sizeof(T) <= bytes.size(); at += sizeof(T)) {
        T item = {};
        std::memcpy(&item, bytes.data() + at, sizeof(T));
        values.push_back(static_cast<double>(item));
    }
}

/// `archive`: the path of a "decoded.npz"
inline GoldenArray goldenArray(const std::string& archive, const std::string& key)
{
    GoldenArray array;
    const auto file = storage::ZipArchive::open(archive);
    for (const storage::ZipEntry& entry : file->entries()) {
        if (entry.name != key + ".npy") {
            continue;
        }
        storage::NpyArray npy = *storage::openNpy(*file, entry);
        array.shape.assign(npy.header.shape.begin(), npy.header.shape.end());
        array.kind = npy.header.kind;
        array.itemBytes = npy.header.itemBytes;
        std::string bytes;
        std::string room(4096, '\0');
        while (const std::size_t got =
                   npy.bytes(std::as_writable_bytes(std::span(room))).value_or(0)) {
            bytes.append(room, 0, got);
        }
        if (npy.header.kind == storage::NpyKind::Float) {
            appendItems<float>(bytes, array.values);
        } else if (npy.header.kind == storage::NpyKind::Integer) {
            appendItems<std::int32_t>(bytes, array.values);
        } else if (npy.header.itemBytes == 1) {
            appendItems<std::uint8_t>(bytes, array.values);
        } else {
            appendItems<std::uint16_t>(bytes, array.values);
        }
    }
    return array;
}

/// The list under `key` of a description: the path of a "decoded.json"
inline QJsonArray goldenList(const std::string& file, const char* key)
{
    const std::string text = *storage::readWholeFile(file);
    return QJsonDocument::fromJson(QByteArray::fromStdString(text)).object()[key].toArray();
}

/// What a call of TensorFlow and ours have in common.
struct CallComparison
{
    QString difference; ///< a sentence; empty if there is none
    QString leftOut;    ///< why it was not compared; empty if it was

    static CallComparison without(const QString& reason) { return {{}, reason}; }
};

} // namespace cannery::tests
