// SPDX-License-Identifier: Apache-2.0
#include "core/survey/table_settings.h"

#include "core/base/catalog.h"
#include "core/data/sources/csv_source.h"
#include "core/data/sources/data_source_catalog.h"

#include <fmt/core.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <charconv>

namespace cannery::survey {

namespace {

std::vector<std::string> namesOf(const google::protobuf::EnumDescriptor& values)
{
    std::vector<std::string> names;
    for (int i = 0; i < values.value_count(); ++i) {
        names.push_back(values.value(i)->name());
    }
    return names;
}

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

/// A single field of the message that a source has set.
struct Field
{
    Message* message = nullptr;
    const FieldDescriptor* descriptor = nullptr; ///< null if there is none
};

Field fieldOf(spec::DataSource& source, const std::string& name)
{
    const Reflection& reflection = *source.GetReflection();
    const FieldDescriptor* member =
        reflection.GetOneofFieldDescriptor(source, source.GetDescriptor()->FindOneofByName("kind"));
    if (member == nullptr) {
        return {};
    }
    Field found{.message = reflection.MutableMessage(&source, member)};
    found.descriptor = found.message->GetDescriptor()->FindFieldByName(name);
    // A list has no single value to set.
    if (found.descriptor != nullptr && found.descriptor->is_repeated()) {
        found.descriptor = nullptr;
    }
    return found;
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
    spec::DataSource source = data::sourceOfFile(file);
    // Only text files have an encoding.
    if (const std::string encoding = readsText(source) ? data::csvEncodingOf(file) : std::string();
        !encoding.empty()) {
        setField(source, "encoding", encoding);
    }
    return source;
}

bool readsText(const spec::DataSource& source)
{
    const data::DataSourceRow* row = findRow(data::dataSourceCatalog(), source.kind_case());
    // The kind that recognizes nothing is the one of plain text.
    return row != nullptr && row->recognizes == nullptr;
}

bool setField(spec::DataSource& source, const std::string& field, const std::string& value)
{
    const Field found = fieldOf(source, field);
    if (found.descriptor == nullptr) {
        return false;
    }
    const Reflection& reflection = *found.message->GetReflection();
    if (found.descriptor->cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
        reflection.SetString(found.message, found.descriptor, value);
        return true;
    }
    if (found.descriptor->cpp_type() == FieldDescriptor::CPPTYPE_BOOL) {
        // Anything else would silently be false.
        if (value != "true" && value != "false") {
            return false;
        }
        reflection.SetBool(found.message, found.descriptor, value == "true");
        return true;
    }
    if (found.descriptor->cpp_type() == FieldDescriptor::CPPTYPE_INT64) {
        std::int64_t number = 0;
        const char* end = value.data() + value.size();
        const auto [behind, status] = std::from_chars(value.data(), end, number);
        if (status != std::errc() || behind != end) {
            return false;
        }
        reflection.SetInt64(found.message, found.descriptor, number);
        return true;
    }
    const auto* choice = found.descriptor->cpp_type() == FieldDescriptor::CPPTYPE_ENUM
                             ? found.descriptor->enum_type()->FindValueByName(value)
                             : nullptr;
    // An unknown choice leaves the field as it was.
    if (choice != nullptr) {
        reflection.SetEnum(found.message, found.descriptor, choice);
    }
    return choice != nullptr;
}

std::string takeField(spec::DataSource& source, const std::string& field)
{
    const Field found = fieldOf(source, field);
    if (found.descriptor == nullptr ||
        found.descriptor->cpp_type() != FieldDescriptor::CPPTYPE_STRING) {
        return {};
    }
    const Reflection& reflection = *found.message->GetReflection();
    std::string text = reflection.GetString(*found.message, found.descriptor);
    reflection.ClearField(found.message, found.descriptor);
    return text;
}

spec::DataSource asPlainTable(spec::DataSource source)
{
    spec::CsvSource& csv = *source.mutable_csv();
    csv.set_field_delim(",");
    csv.set_header(true);
    csv.set_skip_rows(0);
    csv.clear_comment();
    csv.clear_use_quote_delim();
    csv.set_quote_char("\"");
    csv.set_escape_char("");
    csv.set_skip_initial_space(false);
    csv.set_formula_quotes(false);
    csv.clear_column_names();
    csv.clear_encoding();
    return source;
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

reports::ReportList<reports::SourceSetting>
settingsReport(const std::vector<data::SourceSetting>& settings)
{
    reports::ReportList<reports::SourceSetting> list;
    for (const data::SourceSetting& setting : settings) {
        reports::SourceSetting& row = *list.Add();
        row.set_field(setting.field);
        row.set_value(setting.value);
        row.set_reason(setting.reason);
        row.set_detected(setting.isDetected);
        row.set_suggested(setting.belongsInExperiment);
    }
    return list;
}

} // namespace cannery::survey
