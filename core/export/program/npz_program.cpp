// SPDX-License-Identifier: Apache-2.0
#include "core/export/program/npz_program.h"

#include "core/export/program/python_text.h"
#include "core/spec/data.pb.h"

#include <vector>

namespace cannery::exporting {

using google::protobuf::Message;

/// Columns as core/data/sources/npz_rows.h makes them.
std::string npzReadFunction(const Message& /*source*/)
{
    return R"(
def text_of(element):
    if isinstance(element, bytes):
        return element.decode()
    text = str(int(element) if isinstance(element, np.bool_) else element)
    return text[:-2] if isinstance(element, np.floating) and text.endswith('.0') else text


def read(patterns):
    """The rows of NumPy archives, sorted by name, as dictionaries of texts."""
    rows = []
    for path in sorted(path for name in patterns for path in glob.glob(path_of(name))):
        columns = {}
        with np.load(path) as archive:
            for name in archive.files:
                array = archive[name]
                if array.ndim == 1:
                    columns[name] = map(text_of, array)
                elif array.ndim > 1:  # a column for each element of a row
                    for i, column in enumerate(array.reshape(len(array), -1).T):
                        columns['%s_%d' % (name, i)] = map(text_of, column)
        rows += [dict(zip(columns, cells)) for cells in zip(*columns.values())]
    return rows
)";
}

std::string npzReadCall(const Message& source)
{
    std::vector<std::string> files;
    for (const std::string& file : dynamic_cast<const spec::NpzSource&>(source).files()) {
        files.push_back(pythonText(file));
    }
    return PythonCall("read").add(pythonList(files)).text();
}

} // namespace cannery::exporting
