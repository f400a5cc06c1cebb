// SPDX-License-Identifier: Apache-2.0
#include "storage/tf/checkpoints/name_table.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace cannery::storage::detail {

namespace {

constexpr std::size_t kFirstPlaces = 64;

char lowerCase(char character)
{
    const bool isUpper = character >= 'A' && character <= 'Z';
    return isUpper ? static_cast<char>(character - 'A' + 'a') : character;
}

} // namespace

NameUse& NameTable::useOf(std::string_view name)
{
    m_lowerName.resize(name.size());
    std::ranges::transform(name, m_lowerName.begin(), lowerCase);
    if (2 * m_uses.size() >= m_places.size()) {
        grow();
    }
    const std::size_t hash = std::hash<std::string_view>{}(m_lowerName);
    Place& place = placeOf(hash, m_lowerName);
    if (place.use == nullptr) {
        char* text = static_cast<char*>(m_texts.allocate(name.size(), alignof(char)));
        std::ranges::copy(m_lowerName, text);
        m_uses.push_back({.name = {text, name.size()}});
        place = {hash, &m_uses.back()};
    }
    return *place.use;
}

NameTable::Place& NameTable::placeOf(std::size_t hash, std::string_view lowerName)
{
    // The number of places is a power of two.
    std::size_t at = hash & (m_places.size() - 1);
    while (m_places[at].use != nullptr &&
           (m_places[at].hash != hash || m_places[at].use->name != lowerName)) {
        at = (at + 1) & (m_places.size() - 1);
    }
    return m_places[at];
}

void NameTable::grow()
{
    const std::vector<Place> old =
        std::exchange(m_places, std::vector<Place>(std::max(kFirstPlaces, 2 * m_places.size())));
    for (const Place& place : old) {
        if (place.use != nullptr) {
            placeOf(place.hash, place.use->name) = place;
        }
    }
}

} // namespace cannery::storage::detail
