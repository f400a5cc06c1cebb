// SPDX-License-Identifier: Apache-2.0
#include "core/data/sources/data_source.h"
#include "core/spec/data.pb.h"
#include "tests/fuzz/fuzz_support.h"
#include "tests/fuzz/hostile_bytes.h"
#include "tests/fuzz/hostile_files.h"

namespace cannery::tests {

namespace {

/// Reads a file as the kind of source that `name` puts it into, to its end.
HostileRead readAs(void (*name)(spec::DataSource& source, const std::string& path))
{
    return [name](std::string_view bytes) -> Result<void> {
        static FuzzFile file;
        spec::DataSource message;
        name(message, file.with(bytes));
        CANNERY_TRY_ASSIGN(const auto source, data::openDataSource(message, {}));
        data::ChunkRequest request;
        for (const std::string& column : source->schema().names()) {
            request.columns.push_back({.column = column});
        }
        CANNERY_TRY_ASSIGN(const auto stream, source->read(request));
        while (true) {
            CANNERY_TRY_ASSIGN(const auto chunk, stream->next());
            if (!chunk) {
                return {};
            }
        }
    };
}

} // namespace

void addHostileTextTables(HostileFiles& files)
{
    const HostileRead json = readAs([](spec::DataSource& source, const std::string& path) {
        source.mutable_json_lines()->add_files(path);
    });
    const HostileRead arff = readAs([](spec::DataSource& source, const std::string& path) {
        source.mutable_arff()->add_files(path);
    });
    const HostileRead libsvm = readAs([](spec::DataSource& source, const std::string& path) {
        source.mutable_libsvm()->add_files(path);
    });
    const HostileRead fixed = readAs([](spec::DataSource& source, const std::string& path) {
        source.mutable_fixed_width()->add_files(path);
    });
    files.add("JSON lines", json, "a million brackets", "data.no_json_objects",
              [] { return "{\"a\": " + times(1U << 20U, "["); });
    files.add("JSON lines", json, "a million objects in objects", "data.no_json_objects",
              [] { return times(1U << 20U, "{\"a\":"); });
    files.add("JSON lines", json, "more names than columns are read", "csv.too_many_columns", [] {
        std::string object = "{";
        for (int i = 0; i < 70000; ++i) {
            object += "\"n" + std::to_string(i) + "\":1,";
        }
        return object + "\"last\":1}\n";
    });
    files.add("JSON lines", json, "a text without an end", "csv.bad_record",
              [] { return "{\"a\": 1}\n{\"a\": \"" + times(4U << 20U, "x"); });
    files.add("ARFF", arff, "more attributes than columns are read", "csv.too_many_columns", [] {
        std::string header = "@relation r\n";
        for (int i = 0; i < 70000; ++i) {
            header += "@attribute a" + std::to_string(i) + " real\n";
        }
        return header + "@data\n";
    });
    files.add("ARFF", arff, "a header without an end", "data.no_arff_data",
              [] { return "@attribute a real\n" + times(1U << 20U, "% comment\n"); });
    files.add("ARFF", arff, "values without an end", "csv.arff_header",
              [] { return "@attribute a {" + times(1U << 20U, "x, "); });
    files.add("fixed width", fixed, "a line without an end", "data.no_fixed_width",
              [] { return "a  b\n" + times(4U << 20U, "x "); });
    files.add("fixed width", fixed, "no line at all", "data.no_fixed_width",
              [] { return std::string("\n\n"); });
    files.add("LIBSVM", libsvm, "the largest number of a column", "csv.too_many_columns",
              [] { return std::string("1 1000000:1\n"); });
    files.add("LIBSVM", libsvm, "a number beyond any", "data.no_libsvm_values",
              [] { return std::string("1 99999999999999999999:1\n"); });
    files.add("LIBSVM", libsvm, "a word after many lines", "csv.bad_record",
              [] { return times(1U << 18U, "1 1:2 3:4\n") + "1 x:2\n"; });
}

} // namespace cannery::tests
