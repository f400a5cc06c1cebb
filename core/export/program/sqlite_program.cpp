// SPDX-License-Identifier: Apache-2.0
#include "core/export/program/sqlite_program.h"

#include "core/export/program/python_text.h"
#include "core/spec/data.pb.h"

namespace cannery::exporting {

namespace {

using google::protobuf::Message;

const spec::SqliteSource& databaseOf(const Message& source)
{
    return dynamic_cast<const spec::SqliteSource&>(source);
}

/// `"name"`, as SQL names a table.
std::string sqlName(const std::string& table)
{
    std::string name = "\"";
    for (const char letter : table) {
        name += letter;
        // SQL doubles a quote within a quoted name.
        name += letter == '"' ? "\"" : "";
    }
    return name + "\"";
}

} // namespace

std::string sqliteReadFunction(const Message& /*source*/)
{
    return R"(
def text_of(cell):
    if isinstance(cell, bytes):
        return cell.decode()
    text = '' if cell is None else str(cell)
    return text[:-2] if isinstance(cell, float) and text.endswith('.0') else text


def read(file, query):
    """The rows of a query as dictionaries of texts."""
    address = pathlib.Path(path_of(file)).absolute().as_uri() + '?mode=ro'
    with contextlib.closing(sqlite3.connect(address, uri=True)) as database:
        rows = database.execute(query)
        names = [column[0] for column in rows.description]
        return [dict(zip(names, map(text_of, row))) for row in rows]
)";
}

std::string sqliteReadCall(const Message& source)
{
    const spec::SqliteSource& database = databaseOf(source);
    PythonCall call("read");
    call.add(pythonText(database.file()));
    switch (database.rows_case()) {
    case spec::SqliteSource::kTable:
        call.add(pythonText("SELECT * FROM " + sqlName(database.table())));
        break;
    case spec::SqliteSource::kQuery:
        call.add(pythonText(database.query()));
        break;
    case spec::SqliteSource::ROWS_NOT_SET: // no valid experiment
        break;
    }
    return call.text();
}

} // namespace cannery::exporting
