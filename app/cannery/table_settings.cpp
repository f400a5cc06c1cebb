// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/table_settings.h"

#include "core/base/json_text.h"
#include "core/data/data_source_catalog.h"

#include <fmt/core.h>
#include <google/protobuf/descriptor.h>
#include <nlohmann/json.hpp>

namespace cannery::app {

namespace {

std::vector<std::string> namesOf(const google::protobuf::EnumDescriptor& values)
{
    std::vector<std::string> names;
    for (int i = 0; i < values.value_count(); ++i) {
        names.push_back(values.value(i)->name());
    }
    return names;
}

} // namespace

std::vector<std::string> encodingChoices()
{
    return namesOf(*spec::TextEncoding::Name_descriptor());
}

std::vector<std::string> decimalMarkChoices()
{
    return namesOf(*spec::DecimalMark::Name_descriptor());
}

spec::DataSource sourceOfTable(const std::string& file)
{
    return data::sourceOfFile(file);
}

bool setField(spec::DataSource& source, const std::string& field, const std::string& value)
{
    if (!source.has_csv()) {
        return false;
    }
    spec::CsvSource& csv = *source.mutable_csv();
    if (field == "field_delim") {
        csv.set_field_delim(value);
        return true;
    }
    spec::TextEncoding::Name encoding{};
    spec::DecimalMark::Name mark{};
    if (field == "encoding" && spec::TextEncoding::Name_Parse(value, &encoding)) {
        csv.set_encoding(encoding);
        return true;
    }
    if (field == "decimal_mark" && spec::DecimalMark::Name_Parse(value, &mark)) {
        csv.set_decimal_mark(mark);
        return true;
    }
    return false;
}

spec::DataSource asPlainTable(spec::DataSource source)
{
    spec::CsvSource& csv = *source.mutable_csv();
    csv.set_field_delim(",");
    csv.set_header(true);
    csv.clear_use_quote_delim();
    csv.clear_column_names();
    csv.clear_encoding();
    return source;
}

bool hasDecimalComma(const spec::DataSource& source)
{
    return source.csv().decimal_mark() == spec::DecimalMark::comma;
}

std::vector<data::SourceSetting> adoptSettings(const data::DataSource& opened,
                                               spec::DataSource& message)
{
    std::vector<data::SourceSetting> adopted;
    for (const data::SourceSetting& setting : opened.settings()) {
        if (setting.belongsInExperiment && setField(message, setting.field, setting.value)) {
            adopted.push_back(setting);
        }
    }
    return adopted;
}

std::vector<std::string> settingLines(const std::vector<data::SourceSetting>& settings)
{
    std::vector<std::string> lines;
    for (const data::SourceSetting& setting : settings) {
        lines.push_back(
            fmt::format("Read with {}: {} ({})", setting.field, setting.value, setting.reason));
    }
    return lines;
}

std::string settingsJson(const std::vector<data::SourceSetting>& settings)
{
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const data::SourceSetting& setting : settings) {
        list.push_back({{"field", setting.field},
                        {"value", setting.value},
                        {"reason", setting.reason},
                        {"detected", setting.isDetected},
                        {"suggested", setting.belongsInExperiment}});
    }
    return jsonText(list);
}

} // namespace cannery::app
