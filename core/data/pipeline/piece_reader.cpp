// SPDX-License-Identifier: Apache-2.0
#include "core/data/pipeline/piece_reader.h"

#include <cstddef>
#include <type_traits>
#include <utility>
#include <variant>

namespace cannery::data {

PieceReader::PieceReader(std::string separator, DType dtype, storage::NumberNotation notation)
    : m_separator(std::move(separator)), m_reader(dtype, {}, std::move(notation))
{}

std::int64_t PieceReader::cut(std::string_view cell, FeatureElements& elements)
{
    std::int64_t count = 0;
    m_badPiece = {};
    while (!cell.empty()) {
        const std::size_t end =
            m_separator.empty() ? std::string_view::npos : cell.find(m_separator);
        // Separators side by side have no piece between them.
        if (end != 0) {
            const std::string_view piece = cell.substr(0, end);
            ++count;
            if (!append(piece, elements) && m_badPiece.empty()) {
                // The first of a cell is enough for its error.
                m_badPiece = piece;
            }
        }
        cell.remove_prefix(end == std::string_view::npos ? cell.size() : end + m_separator.size());
    }
    return count;
}

bool PieceReader::append(std::string_view piece, FeatureElements& elements)
{
    if (piece.empty()) {
        return true;
    }
    return std::visit(
        [&](auto& list) {
            using List = std::decay_t<decltype(list)>;
            if constexpr (std::is_same_v<List, StringColumn>) {
                list.push_back(piece);
                return true;
            } else {
                typename List::value_type value{};
                const bool isValue = m_reader.number(piece, value).isValue();
                // Also for a piece that is not a number, so that the offsets agree; the row is
                // unusable anyway.
                list.push_back(value);
                return isValue;
            }
        },
        elements);
}

template <typename Given>
bool PieceReader::appendNumber(Given given, FeatureElements& elements)
{
    return std::visit(
        [&](auto& list) {
            using List = std::decay_t<decltype(list)>;
            if constexpr (std::is_same_v<List, StringColumn>) {
                const bool isValue = m_reader.textFrom(given, m_scratch).isValue();
                list.push_back(m_scratch);
                return isValue;
            } else {
                typename List::value_type value{};
                const bool isValue = m_reader.numberFrom(given, value).isValue();
                list.push_back(value);
                return isValue;
            }
        },
        elements);
}

template bool PieceReader::appendNumber(double given, FeatureElements& elements);
template bool PieceReader::appendNumber(std::int64_t given, FeatureElements& elements);

} // namespace cannery::data
