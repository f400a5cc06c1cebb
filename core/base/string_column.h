// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cannery {

/// Strings of a column, stored contiguously in a single allocation.
class StringColumn
{
public:
    std::size_t size() const { return m_ends.size(); }
    bool empty() const { return m_ends.empty(); }

    std::string_view operator[](std::size_t index) const
    {
        const std::size_t begin = index == 0 ? 0 : m_ends[index - 1];
        return {m_bytes.data() + begin, m_ends[index] - begin};
    }

    void push_back(std::string_view text)
    {
        m_bytes.append(text);
        m_ends.push_back(m_bytes.size());
    }

    void reserve(std::size_t strings, std::size_t bytes)
    {
        m_ends.reserve(strings);
        m_bytes.reserve(bytes);
    }

    void clear()
    {
        m_bytes.clear();
        m_ends.clear();
    }

    bool operator==(const StringColumn&) const = default;

private:
    std::string m_bytes;
    std::vector<std::size_t> m_ends;
};

} // namespace cannery
