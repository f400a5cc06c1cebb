// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "storage/io/inflate.h"
#include "storage/io/zip_archive.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::storage {

/// The kind of a NumPy array's elements.
enum class NpyKind
{
    Float,
    Integer,
    Unsigned,
    Boolean,
    Bytes,   ///< fixed width, filled up with NUL
    Unicode, ///< fixed width, UTF-32, filled up with NUL
};

/// What the header of an .npy file says (NumPy's format description, versions 1.0 to 3.0).
struct NpyHeader
{
    NpyKind kind = NpyKind::Float;
    std::size_t itemBytes = 0;
    std::vector<std::uint64_t> shape;

    /// Elements behind each index of the first dimension.
    std::uint64_t width() const;
    std::uint64_t rows() const { return shape.empty() ? 0 : shape.front(); }
};

/// Parses the dictionary of a header. `name`: of the array and its file, for errors. Errors: object
/// arrays, structured, big-endian and Fortran-ordered ones, and dtypes that no column has, each
/// with the NumPy expression that converts the array.
Result<NpyHeader> parseNpyHeader(std::string_view dictionary, const std::string& name);

/// Reads the header of an array in an archive; the source then stands at its first element.
struct NpyArray
{
    NpyHeader header;
    ByteSource bytes;
};
Result<NpyArray> openNpy(const ZipArchive& archive, const ZipEntry& entry);

} // namespace cannery::storage
