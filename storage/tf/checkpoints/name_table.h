// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <memory_resource>
#include <string>
#include <string_view>
#include <vector>

/// Only for the sources of storage/tf.
namespace cannery::storage::detail {

/// What has a name.
struct NameUse
{
    std::string_view name; ///< in lower case
    int count = 0;         ///< nodes and scopes
    bool isNode = false;
};

/// The names of a graph, of which upper and lower case are the same, as in TensorFlow. Open
/// addressing, at most half full: a graph of a wide table has several names for each column, and
/// they are looked up and dropped at once.
class NameTable
{
public:
    /// A new one, if nothing has the name. Stays where it is as long as the table.
    NameUse& useOf(std::string_view name);

private:
    struct Place
    {
        std::size_t hash = 0;
        NameUse* use = nullptr; ///< null if the slot is empty
    };
    /// Where the name is, or the empty place for it.
    Place& placeOf(std::size_t hash, std::string_view lowerName);
    void grow();

    std::pmr::monotonic_buffer_resource m_texts; ///< of the names
    std::deque<NameUse> m_uses;
    std::vector<Place> m_places; ///< none, or a power of two
    std::string m_lowerName;     ///< the one that is looked up
};

} // namespace cannery::storage::detail
