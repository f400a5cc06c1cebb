// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace cannery::storage {

/// Builds the value of an ordered JSON that the library's parser reports piece by piece.
template <typename Json>
class OrderedJsonBuilder // NOLINT(bugprone-exception-escape): the library's values may throw
{
public:
    Json& result() { return m_result; }
    const std::string& problem() const { return m_problem; }

    bool null() { return add(nullptr); }
    bool boolean(bool value) { return add(value); }
    bool number_integer(typename Json::number_integer_t value) { return add(value); }
    bool number_unsigned(typename Json::number_unsigned_t value) { return add(value); }
    bool number_float(typename Json::number_float_t value, const std::string&)
    {
        return add(value);
    }
    bool string(std::string& value) { return add(std::move(value)); }
    bool binary(typename Json::binary_t& value) { return add(std::move(value)); }
    bool start_array(std::size_t) { return begin(Json::array()); }
    bool start_object(std::size_t) { return begin(Json::object()); }
    bool end_array() { return end(); }
    bool end_object() { return end(); }
    bool key(std::string& value)
    {
        m_open.back().key = std::move(value);
        return true;
    }
    bool parse_error(std::size_t, const std::string&, const typename Json::exception& failure)
    {
        m_problem = failure.what();
        return false;
    }

private:
    struct Open
    {
        Json value;
        std::string key;                                     ///< of the next member
        std::unordered_map<std::string, std::size_t> places; ///< of the members
    };

    bool begin(Json empty)
    {
        m_open.push_back({.value = std::move(empty)});
        return true;
    }

    bool end()
    {
        Json whole = std::move(m_open.back().value);
        m_open.pop_back();
        return add(std::move(whole));
    }

    bool add(Json value)
    {
        if (m_open.empty()) {
            m_result = std::move(value);
            return true;
        }
        Open& open = m_open.back();
        if (open.value.is_array()) {
            open.value.push_back(std::move(value));
            return true;
        }
        auto& members = open.value.template get_ref<typename Json::object_t&>();
        const auto [place, isNew] = open.places.try_emplace(open.key, members.size());
        if (isNew) {
            members.push_back({std::move(open.key), std::move(value)});
        } else {
            (members.begin() + static_cast<std::ptrdiff_t>(place->second))->second =
                std::move(value);
        }
        return true;
    }

    std::vector<Open> m_open; ///< arrays and objects, the innermost last
    Json m_result;
    std::string m_problem;
};

/// As the parse() of the library's ordered JSON, which searches an object's earlier members for
/// each key: here an object of many members takes no longer for each. Instead of throwing, returns
/// the library's sentence about what is wrong.
template <typename Json>
std::variant<Json, std::string> parseOrderedJson(const std::string& text)
{
    OrderedJsonBuilder<Json> builder;
    if (!Json::sax_parse(text, &builder)) {
        return builder.problem();
    }
    return std::move(builder.result());
}

} // namespace cannery::storage
