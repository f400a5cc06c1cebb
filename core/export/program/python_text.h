// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/spec/types.pb.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Python 3 source as a careful author lays it out. Pure functions of their arguments.
namespace cannery::exporting {

/// A string literal; what is not printable ASCII or UTF-8 is escaped.
std::string pythonText(std::string_view text);
/// The shortest literal that is read as the same double; infinities and NaN as float('inf').
std::string pythonNumber(double value);
std::string pythonBool(bool value);

/// An identifier made of a name: letters, digits and '_', none of Python's own words.
std::string pythonIdentifier(std::string_view name);

/// "[a, b]": on one line, or filled lines if it is long.
std::string pythonList(const std::vector<std::string>& elements);

/// Every line but the first, four columns further right.
std::string indented(std::string_view text);

/// A call with its arguments: on one line, or one argument per line if it is long.
class PythonCall
{
public:
    explicit PythonCall(std::string callable) : m_callable(std::move(callable)) {}

    PythonCall& add(std::string_view argument, std::string value);
    /// A positional argument.
    PythonCall& add(std::string value);
    std::string text() const;

private:
    std::string m_callable;
    std::vector<std::string> m_arguments;
};

/// What reads a cell of this type: float, int or str.
std::string_view kindText(spec::DataType::Name dtype);

/// NumPy's type of such values: np.float32, object for texts.
std::string_view arrayType(spec::DataType::Name dtype);

} // namespace cannery::exporting
