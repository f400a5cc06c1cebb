// SPDX-License-Identifier: Apache-2.0
#include "core/export/program/scope_names.h"

#include "core/export/program/references.h"
#include "core/spec/message_access.h"
#include "core/spec/tensorflow_names.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <map>
#include <set>
#include <string>

namespace cannery::exporting {

namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using NewNames = std::map<std::string, std::string>;

std::string scopeNameOf(const std::string& name, const std::set<std::string>& taken)
{
    std::string base = spec::scopeSafe(name);
    // Scopes of TensorFlow begin with a letter, a digit or a point.
    if (!isScopeName(base)) {
        base.insert(0, "f");
    }
    std::string free = base;
    for (int number = 2; taken.contains(free); ++number) {
        free = base + "_" + std::to_string(number);
    }
    return free;
}

void rename(std::string& name, const NewNames& names)
{
    if (const auto found = names.find(name); found != names.end()) {
        name = found->second;
    }
}

/// In every field of the message and below it that names a raw feature.
void renameFeatures(Message& message, const NewNames& names)
{
    const google::protobuf::Reflection& values = *message.GetReflection();
    std::vector<const FieldDescriptor*> fields;
    values.ListFields(message, &fields);
    for (const FieldDescriptor* field : fields) {
        const bool isFeature = field->cpp_type() == FieldDescriptor::CPPTYPE_STRING &&
                               spec::infoOf(*field).names() == spec::FieldInfo::FEATURE;
        const int count = field->is_repeated() ? values.FieldSize(message, field) : 1;
        for (int i = 0; i < count; ++i) {
            if (spec::isMessage(*field)) {
                renameFeatures(field->is_repeated()
                                   ? *values.MutableRepeatedMessage(&message, field, i)
                                   : *values.MutableMessage(&message, field),
                               names);
            } else if (isFeature && field->is_repeated()) {
                std::string name = values.GetRepeatedString(message, field, i);
                rename(name, names);
                values.SetRepeatedString(&message, field, i, std::move(name));
            } else if (isFeature) {
                std::string name = values.GetString(message, field);
                rename(name, names);
                values.SetString(&message, field, std::move(name));
            }
        }
    }
}

/// What the new names stand for.
void renameInData(spec::Data& data, const NewNames& names)
{
    for (const auto& [old, name] : names) {
        // A feature that is made of others is renamed where it is; a plain one, which is a column
        // of the table, gets an entry that says which column.
        const auto made = std::ranges::find(*data.mutable_feature(), old, &spec::Feature::name);
        if (made != data.mutable_feature()->end()) {
            made->set_name(name);
            continue;
        }
        spec::Feature& plain = *data.add_feature();
        plain.set_name(name);
        plain.set_column(old);
    }
}

} // namespace

bool isScopeName(std::string_view name)
{
    constexpr std::string_view kMarks = "_.\\/>-";
    const auto isLetter = [](char c) {
        return c == '.' || (static_cast<unsigned char>(c) < 0x80 && std::isalnum(c) != 0);
    };
    return !name.empty() && isLetter(name.front()) && std::ranges::all_of(name, [&](char c) {
        return isLetter(c) || kMarks.find(c) != std::string_view::npos;
    });
}

spec::Experiment withScopeNames(spec::Experiment experiment)
{
    const std::set<std::string> read =
        referencedFeatures(spec::ColumnIndex(experiment), experiment.estimator());
    // Neither columns nor features may get a name that is used already.
    std::set<std::string> taken = read;
    for (const spec::Column& column : experiment.data().column()) {
        taken.insert(column.name());
    }
    NewNames names;
    for (const std::string& name : read) {
        if (!isScopeName(name)) {
            names[name] = scopeNameOf(name, taken);
            taken.insert(names[name]);
        }
    }
    if (names.empty()) {
        return experiment;
    }
    for (spec::FeatureColumn& column : *experiment.mutable_feature_column()) {
        renameFeatures(column, names);
    }
    renameFeatures(*experiment.mutable_estimator(), names);
    renameInData(*experiment.mutable_data(), names);
    return experiment;
}

} // namespace cannery::exporting
