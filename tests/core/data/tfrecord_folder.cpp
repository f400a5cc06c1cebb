// SPDX-License-Identifier: Apache-2.0
#include "tests/core/data/tfrecord_folder.h"

#include "core/data/sources/data_source_catalog.h"
#include "tests/core/data/record_rows.h"

namespace cannery::tests {

using data::DataSource;
using data::SourceOptions;
using storage::Compression;
using storage::Example;

std::string TfrecordFolder::write(const std::string& name, const std::vector<std::string>& records,
                                  Compression compression)
{
    const std::string path = this->path(name);
    auto writer = storage::RecordWriter::create(path, compression);
    for (const std::string& record : records) {
        if (!writer || !writer->write(record)) {
            qFatal("cannot write the test's records");
        }
    }
    if (!writer->close()) {
        qFatal("cannot close the test's records");
    }
    return path;
}

std::string TfrecordFolder::writeExamples(const std::string& name,
                                          const std::vector<Example>& examples,
                                          Compression compression)
{
    std::vector<std::string> records;
    for (const Example& example : examples) {
        records.push_back(storage::serializeExample(example));
    }
    return write(name, records, compression);
}

Result<std::unique_ptr<DataSource>> TfrecordFolder::open(const std::string& text,
                                                         const SourceOptions& more) const
{
    SourceOptions options = more;
    options.folder = m_folder.path().toStdString();
    return openDataSource(recordSource("tfrecord { " + text + " }"), options);
}

std::vector<Example> manyExamples(int count)
{
    std::vector<Example> examples;
    for (int i = 0; i < count; ++i) {
        Example example;
        example.features["number"] = Floats{static_cast<float>(i) / 4};
        if (i % 3 != 0) {
            example.features["count"] = Integers{i % 2 == 0 ? i : -i};
        }
        example.features["word"] = Strings{"w" + std::to_string(i % 7)};
        examples.push_back(std::move(example));
    }
    return examples;
}

std::string TfrecordFolder::path(const std::string& name) const
{
    return m_folder.filePath(QString::fromStdString(name)).toStdString();
}

} // namespace cannery::tests
