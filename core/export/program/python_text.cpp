// SPDX-License-Identifier: Apache-2.0
#include "core/export/program/python_text.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace cannery::exporting {

namespace {

/// So that a line stays below 100 columns two levels deep.
constexpr std::size_t kLongestLine = 88;

/// Words that cannot be names, and names that every program of ours uses.
constexpr std::array<std::string_view, 42> kTaken{
    "False",   "None",   "True",     "and",      "argparse", "as",   "assert", "async",  "await",
    "break",   "class",  "csv",      "continue", "def",      "del",  "elif",   "else",   "except",
    "finally", "for",    "from",     "glob",     "global",   "gzip", "if",     "import", "in",
    "is",      "lambda", "nonlocal", "not",      "np",       "or",   "os",     "pass",   "raise",
    "return",  "tf",     "try",      "while",    "with",     "yield"};

bool isWordCharacter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

} // namespace

std::string pythonText(std::string_view text)
{
    std::string literal = "'";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '\\' || c == '\'') {
            literal += '\\';
            literal += c;
        } else if (c == '\n') {
            literal += "\\n";
        } else if (c == '\t') {
            literal += "\\t";
        } else if (byte < 0x20 || byte == 0x7F) {
            literal += fmt::format("\\x{:02x}", byte);
        } else {
            literal += c;
        }
    }
    return literal + "'";
}

std::string pythonNumber(double value)
{
    if (std::isnan(value)) {
        return "float('nan')";
    }
    if (std::isinf(value)) {
        return value < 0 ? "float('-inf')" : "float('inf')";
    }
    // The shortest text that reads back to the same double, as Python's repr().
    std::string text = fmt::format("{}", value);
    // TensorFlow makes an integer variable of 1.
    return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string pythonBool(bool value)
{
    return value ? "True" : "False";
}

std::string pythonIdentifier(std::string_view name)
{
    std::string identifier;
    for (const char c : name) {
        identifier += isWordCharacter(c) ? c : '_';
    }
    // An identifier cannot begin with a digit.
    if (identifier.empty() || (identifier.front() >= '0' && identifier.front() <= '9')) {
        identifier.insert(0, "_");
    }
    if (std::find(kTaken.begin(), kTaken.end(), identifier) != kTaken.end()) {
        identifier += '_';
    }
    return identifier;
}

std::string pythonList(const std::vector<std::string>& elements)
{
    std::string list = fmt::format("[{}]", fmt::join(elements, ", "));
    if (list.size() <= kLongestLine && list.find('\n') == std::string::npos) {
        return list;
    }
    list = "[";
    std::string line = "\n    ";
    for (const std::string& element : elements) {
        // A line that holds nothing yet takes its element however long it is.
        const bool isFirst = line.back() == ' ' && line.size() == 5;
        if (!isFirst && line.size() + element.size() > kLongestLine) {
            list += line;
            line = "\n    ";
        } else if (!isFirst) {
            line += ' ';
        }
        line += indented(element) + ",";
    }
    return list + line + "\n]";
}

std::string indented(std::string_view text)
{
    std::string result;
    for (const char c : text) {
        result += c;
        if (c == '\n') {
            result += "    ";
        }
    }
    return result;
}

PythonCall& PythonCall::add(std::string_view argument, std::string value)
{
    m_arguments.push_back(fmt::format("{}={}", argument, value));
    return *this;
}

PythonCall& PythonCall::add(std::string value)
{
    m_arguments.push_back(std::move(value));
    return *this;
}

std::string PythonCall::text() const
{
    std::string line = fmt::format("{}({})", m_callable, fmt::join(m_arguments, ", "));
    if (line.size() <= kLongestLine && line.find('\n') == std::string::npos) {
        return line;
    }
    std::string lines = m_callable + "(";
    for (std::size_t i = 0; i < m_arguments.size(); ++i) {
        lines += fmt::format("\n    {}{}", indented(m_arguments[i]),
                             i + 1 < m_arguments.size() ? "," : ")");
    }
    return lines;
}

std::string_view kindText(spec::DataType::Name dtype)
{
    switch (dtype) {
    case spec::DataType::float32:
    case spec::DataType::float64:
        return "float";
    case spec::DataType::int32:
    case spec::DataType::int64:
        return "int";
    default:
        return "str";
    }
}

std::string_view arrayType(spec::DataType::Name dtype)
{
    switch (dtype) {
    case spec::DataType::float32:
        return "np.float32";
    case spec::DataType::float64:
        return "np.float64";
    case spec::DataType::int32:
        return "np.int32";
    case spec::DataType::int64:
        return "np.int64";
    default:
        return "object";
    }
}

} // namespace cannery::exporting
