// SPDX-License-Identifier: Apache-2.0
#include "storage/tabular/npy_array.h"

#include "storage/io/coding.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <utility>

namespace cannery::storage {

namespace {

constexpr ErrorKind kNotAnArray{"npz.not_an_array",
                                "{} is not a NumPy array: {}. Write it with numpy.savez."};
constexpr ErrorKind kObjects{
    "npz.objects", "{} is an array of Python objects, which are never unpickled. Save it with a "
                   "dtype: array.astype(str), or array.astype(float)."};
constexpr ErrorKind kOtherDtype{
    "npz.dtype", "{} has the dtype {}, which no column has. Save it as array.astype({})."};
constexpr ErrorKind kStructured{
    "npz.structured", "{} has a structured dtype. Save each field as an array of its own: "
                      "array['field']."};
constexpr ErrorKind kFortranOrder{
    "npz.fortran_order",
    "{} is stored column by column. Save it as numpy.ascontiguousarray(array)."};

constexpr std::string_view kNpyMagic("\x93NUMPY", 6);
constexpr std::size_t kMostHeaderBytes = std::size_t{1} << 20U;
constexpr std::size_t kMostItemBytes = std::size_t{1} << 20U;
constexpr std::size_t kMostDimensions = 32;
constexpr std::size_t kUnicodeBytes = 4;

/// Reads the literal that NumPy writes: one dictionary of texts, a bool and a tuple of numbers.
class LiteralReader
{
public:
    explicit LiteralReader(std::string_view text) : m_text(text) {}

    bool take(char letter)
    {
        skipSpaces();
        if (m_text.empty() || m_text.front() != letter) {
            return false;
        }
        m_text.remove_prefix(1);
        return true;
    }

    std::optional<std::string> text()
    {
        skipSpaces();
        const char quote = m_text.empty() ? '\0' : m_text.front();
        if (quote != '\'' && quote != '"') {
            return std::nullopt;
        }
        // Without escapes: dtypes and keys need none.
        const std::size_t end = m_text.find(quote, 1);
        if (end == std::string_view::npos) {
            return std::nullopt;
        }
        std::string value(m_text.substr(1, end - 1));
        m_text.remove_prefix(end + 1);
        return value;
    }

    std::optional<bool> boolean()
    {
        skipSpaces();
        for (const bool value : {false, true}) {
            const std::string_view word = value ? "True" : "False";
            if (m_text.starts_with(word)) {
                m_text.remove_prefix(word.size());
                return value;
            }
        }
        return std::nullopt;
    }

    std::optional<std::vector<std::uint64_t>> tuple()
    {
        std::vector<std::uint64_t> numbers;
        if (!take('(')) {
            return std::nullopt;
        }
        while (!take(')')) {
            skipSpaces();
            std::uint64_t number = 0;
            const auto [end, code] =
                std::from_chars(m_text.data(), m_text.data() + m_text.size(), number);
            // A header may come from anywhere, so what it asks for has a limit.
            if (code != std::errc() || numbers.size() == kMostDimensions) {
                return std::nullopt;
            }
            m_text.remove_prefix(static_cast<std::size_t>(end - m_text.data()));
            numbers.push_back(number);
            // Python writes a tuple of one as (3,).
            if (!take(',') && (m_text.empty() || m_text.front() != ')')) {
                return std::nullopt;
            }
        }
        return numbers;
    }

    /// A nested literal of a structured dtype.
    bool isList()
    {
        skipSpaces();
        return !m_text.empty() && m_text.front() == '[';
    }

private:
    void skipSpaces()
    {
        while (!m_text.empty() && (m_text.front() == ' ' || m_text.front() == '\n')) {
            m_text.remove_prefix(1);
        }
    }

    std::string_view m_text;
};

struct DtypeRow
{
    char letter;
    NpyKind kind;
    std::array<std::size_t, 4> widths; ///< 0: none; of texts, that of one character
};

constexpr std::array kDtypes{
    DtypeRow{'f', NpyKind::Float, {4, 8, 0, 0}},
    DtypeRow{'i', NpyKind::Integer, {1, 2, 4, 8}},
    DtypeRow{'u', NpyKind::Unsigned, {1, 2, 4, 8}},
    DtypeRow{'b', NpyKind::Boolean, {1, 0, 0, 0}},
};

Result<void> readDtype(const std::string& text, const std::string& name, NpyHeader& header)
{
    const auto refused = [&](const char* instead) {
        return fail(ErrorCode::Unimplemented, kOtherDtype, name, text, instead);
    };
    // First, since "|O" has no width. Unpickling could run code of whoever wrote the file.
    if (text.size() > 1 && text[1] == 'O') {
        return fail(ErrorCode::Unimplemented, kObjects, name);
    }
    std::size_t width = 0;
    const char* end = text.data() + text.size();
    if (text.size() < 3 || std::from_chars(text.data() + 2, end, width).ptr != end) {
        return refused("str");
    }
    // Big-endian. Single bytes have no order.
    if (text[0] == '>' && width > 1) {
        return refused("array.dtype.newbyteorder('<')");
    }
    header.itemBytes = width;
    if (text[1] == 'S' || text[1] == 'U') {
        header.kind = text[1] == 'S' ? NpyKind::Bytes : NpyKind::Unicode;
        header.itemBytes = text[1] == 'S' ? width : width * kUnicodeBytes;
        // 'U' counts characters of four bytes. The limit is compared by division, since a product
        // may overflow.
        return width > kMostItemBytes / kUnicodeBytes ? refused("'U100'") : Result<void>();
    }
    for (const DtypeRow& row : kDtypes) {
        if (row.letter == text[1]) {
            header.kind = row.kind;
            const bool isKnown = width > 0 && std::find(row.widths.begin(), row.widths.end(),
                                                        width) != row.widths.end();
            return isKnown ? Result<void>() : refused("'float32'");
        }
    }
    return refused(text[1] == 'M' || text[1] == 'm' ? "str" : "'float32'");
}

} // namespace

std::uint64_t NpyHeader::width() const
{
    std::uint64_t elements = 1;
    for (std::size_t i = 1; i < shape.size(); ++i) {
        const bool isTooMuch =
            // Saturates: a shape is read before its bytes are known, and callers compare the width
            // with limits.
            shape[i] > 0 && elements > std::numeric_limits<std::uint64_t>::max() / shape[i];
        elements = isTooMuch ? std::numeric_limits<std::uint64_t>::max() : elements * shape[i];
    }
    return elements;
}

Result<NpyHeader> parseNpyHeader(std::string_view dictionary, const std::string& name)
{
    const auto broken = [&] {
        return fail(ErrorCode::InvalidArgument, kNotAnArray, name, "its header is not readable");
    };
    LiteralReader reader(dictionary);
    NpyHeader header;
    bool isFortran = false;
    bool hasDtype = false;
    if (!reader.take('{')) {
        return broken();
    }
    while (!reader.take('}')) {
        const std::optional<std::string> key = reader.text();
        if (!key || !reader.take(':')) {
            return broken();
        }
        if (*key == "descr") {
            if (reader.isList()) {
                return fail(ErrorCode::Unimplemented, kStructured, name);
            }
            const std::optional<std::string> dtype = reader.text();
            if (!dtype) {
                return broken();
            }
            CANNERY_TRY(readDtype(*dtype, name, header));
            hasDtype = true;
        } else if (*key == "fortran_order") {
            const std::optional<bool> value = reader.boolean();
            if (!value) {
                return broken();
            }
            isFortran = *value;
        } else if (*key == "shape") {
            std::optional<std::vector<std::uint64_t>> shape = reader.tuple();
            if (!shape) {
                return broken();
            }
            header.shape = std::move(*shape);
        } else {
            return broken();
        }
        // NumPy ends the dictionary with a comma, too; other writers may not.
        reader.take(',');
    }
    if (!hasDtype) {
        return broken();
    }
    // A vector, and a matrix of one column, have the same bytes in either order.
    const bool hasOrder = header.shape.size() > 1 && header.width() > 1;
    if (isFortran && hasOrder) {
        return fail(ErrorCode::Unimplemented, kFortranOrder, name);
    }
    return header;
}

Result<NpyArray> openNpy(const ZipArchive& archive, const ZipEntry& entry)
{
    const std::string name = entry.name + " of " + archive.path();
    CANNERY_TRY_ASSIGN(ByteSource bytes, archive.read(entry));
    // A compressed member may give less than it is asked for.
    const auto take = [&](std::size_t count) -> Result<std::string> {
        std::string text(count, '\0');
        std::size_t have = 0;
        while (have < count) {
            CANNERY_TRY_ASSIGN(const std::size_t got,
                               bytes(std::as_writable_bytes(std::span(text)).subspan(have)));
            if (got == 0) {
                return fail(ErrorCode::DataLoss, kNotAnArray, name, "it breaks off");
            }
            have += got;
        }
        return text;
    };
    CANNERY_TRY_ASSIGN(const std::string start, take(kNpyMagic.size() + 2));
    if (!start.starts_with(kNpyMagic)) {
        return fail(ErrorCode::InvalidArgument, kNotAnArray, name, "it does not begin as one");
    }
    // Version 1 has a length of two bytes; 2 and 3 have four.
    const bool isShort = start[kNpyMagic.size()] == 1;
    CANNERY_TRY_ASSIGN(const std::string length, take(isShort ? 2 : 4));
    std::string_view number = length;
    const std::size_t headerBytes =
        isShort ? *getFixed<std::uint16_t>(number) : *getFixed<std::uint32_t>(number);
    if (headerBytes > kMostHeaderBytes) {
        return fail(ErrorCode::InvalidArgument, kNotAnArray, name, "its header is too long");
    }
    CANNERY_TRY_ASSIGN(const std::string dictionary, take(headerBytes));
    CANNERY_TRY_ASSIGN(NpyHeader header, parseNpyHeader(dictionary, name));
    const std::uint64_t before = kNpyMagic.size() + 2 + length.size() + headerBytes;
    const std::uint64_t data = entry.size - std::min(entry.size, before);
    // The width is at most the data's bytes here, so the product cannot overflow.
    const std::uint64_t rowBytes =
        header.width() > data ? 0 : header.width() * header.itemBytes; // 0 * anything is 0
    // The member's size must agree, or a damaged shape would ask for any amount of memory.
    const bool isWhole = header.shape.empty() || header.itemBytes == 0 || header.width() == 0 ||
                         (rowBytes > 0 && header.rows() == data / rowBytes && data % rowBytes == 0);
    if (!isWhole) {
        return fail(ErrorCode::DataLoss, kNotAnArray, name,
                    "its shape does not agree with its bytes");
    }
    return NpyArray{std::move(header), std::move(bytes)};
}

} // namespace cannery::storage
