// SPDX-License-Identifier: Apache-2.0
// Everything in an experiment that names something: does it exist, and is it unique?

#include "core/base/catalog.h"
#include "core/spec/checks/name_rules.h"
#include "core/spec/checks/validation_context.h"
#include "core/spec/message_access.h"
#include "core/spec/tensorflow_names.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

namespace cannery::spec {

namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

constexpr ErrorKind kRawFeature{
    "spec.column_is_feature",
    "'{0}' is a raw feature, not a feature_column: add feature_column {{ name: \"{0}\" … }}, or "
    "refer to it as a feature where that is allowed."};
constexpr ErrorKind kAmbiguous{"spec.ambiguous_name",
                               "'{0}' is the name of {1} feature columns: give each its own name."};
constexpr ErrorKind kDanglingFeature{"spec.dangling_feature",
                                     "There is no feature or column of the table named '{0}'.{1}"};
constexpr ErrorKind kColumnNotFeature{
    "spec.feature_is_column",
    "'{0}' is a feature_column, not a raw feature: write column: \"{0}\"."};
constexpr ErrorKind kDanglingTableColumn{"spec.dangling_table_column",
                                         "The table has no column '{0}'.{1}"};
constexpr ErrorKind kLabelAsFeature{
    "spec.label_as_feature",
    "'{0}' is the label: a model that reads it learns nothing. Remove it from the features."};
constexpr ErrorKind kKeyAsFeature{"spec.key_as_feature",
                                  "'{0}' is a key_column, which only identifies rows: remove it "
                                  "from key_column to learn from it."};
constexpr ErrorKind kDuplicateName{"spec.duplicate_name",
                                   "The name '{0}' is taken: {1} already has it. Choose another."};

/// Maximum number of names compared to find a suggestion.
constexpr int kMostSuggestions = 20;

/// Names that are defined elsewhere.
using NameSet = std::unordered_set<std::string_view>;

template <typename Names>
NameSet setOf(const Names& names)
{
    return NameSet(names.begin(), names.end());
}

/// Whether a text names something. Exporters and the evaluation have their own, stricter rules.
bool isName(const FieldDescriptor& field)
{
    switch (infoOf(field).names()) {
    case FieldInfo::FEATURE_COLUMN:
    case FieldInfo::FEATURE:
    case FieldInfo::COLUMN:
        return true;
    case FieldInfo::NOTHING:
    case FieldInfo::FILE:
        break;
    }
    return field.name() == "shared_embedding_collection_name" ||
           (field.name() == "name" && field.containing_type() != EvalSpec::descriptor() &&
            field.containing_type()->file() != Exporter::descriptor()->file());
}

/// Whether the name is one that a table's header gives.
bool isOfTable(const FieldDescriptor& field)
{
    return infoOf(field).names() == FieldInfo::COLUMN ||
           field.containing_type() == Column::descriptor();
}

class NameChecker
{
public:
    explicit NameChecker(ValidationContext& context) : m_context(context)
    {
        for (const FeatureColumn& column : context.experiment.feature_column()) {
            m_columns.push_back(column.name());
            ++m_columnCounts[column.name()];
        }
        for (const Feature& feature : context.experiment.data().feature()) {
            m_madeNames.insert(feature.name());
        }
        m_labelNames = setOf(m_labels);
        m_keyNames = setOf(context.experiment.data().key_column());
        if (m_features) {
            m_featureNames = setOf(*m_features);
            m_tableNames = setOf(*context.tableColumns);
        }
    }

    /// `path` is as it was afterwards.
    void walk(const Message& message, SpecPath& path);

private:
    void check(const FieldDescriptor& field, const std::string& name, const SpecPath& path);
    void checkColumn(const std::string& name, const SpecPath& path);
    void checkFeature(const FieldDescriptor& field, const std::string& name, const SpecPath& path);
    std::string suggestionFor(const std::string& name, const std::vector<std::string>& known);

    ValidationContext& m_context;
    std::vector<std::string> m_columns;
    std::unordered_map<std::string_view, int> m_columnCounts;
    NameSet m_madeNames;
    std::vector<std::string> m_labels = labelColumns(m_context.experiment.data());
    NameSet m_labelNames;
    NameSet m_keyNames;
    /// Including the table's columns, if known.
    std::optional<std::vector<std::string>> m_features = m_context.features();
    NameSet m_featureNames;
    NameSet m_tableNames;
    int m_suggestionsLeft = kMostSuggestions;
};

void NameChecker::walk(const Message& message, SpecPath& path)
{
    const Reflection& reflection = *message.GetReflection();
    std::vector<const FieldDescriptor*> fields;
    reflection.ListFields(message, &fields);
    for (const FieldDescriptor* field : fields) {
        const bool text = field->cpp_type() == FieldDescriptor::CPPTYPE_STRING;
        if (!text && !isMessage(*field)) {
            continue;
        }
        const int count = field->is_repeated() ? reflection.FieldSize(message, field) : 1;
        DeeperPath deeper(path, field->name());
        for (int i = 0; i < count; ++i) {
            if (field->is_repeated()) {
                deeper.setElement(i);
            }
            if (text) {
                check(*field,
                      field->is_repeated() ? reflection.GetRepeatedString(message, field, i)
                                           : reflection.GetString(message, field),
                      path);
            } else {
                walk(field->is_repeated() ? reflection.GetRepeatedMessage(message, field, i)
                                          : reflection.GetMessage(message, field),
                     path);
            }
        }
    }
}

void NameChecker::check(const FieldDescriptor& field, const std::string& name, const SpecPath& path)
{
    // Problems beyond the limit are not shown, so they are not looked for either.
    if (name.empty() || m_context.problems.size() >= kMostProblems) {
        return; // already reported as an empty text, or not at all
    }
    if (isName(field)) {
        // A table's header may have characters that no name of ours may.
        if (std::optional<Error> problem =
                isOfTable(field) ? columnNameProblem(name) : nameProblem(name)) {
            m_context.report(path, *std::move(problem));
            return;
        }
    }
    switch (infoOf(field).names()) {
    case FieldInfo::FEATURE_COLUMN:
        return checkColumn(name, path);
    case FieldInfo::FEATURE:
        return checkFeature(field, name, path);
    case FieldInfo::COLUMN:
        if (m_context.tableColumns && !m_tableNames.contains(name)) {
            m_context.report(path, error(ErrorCode::NotFound, kDanglingTableColumn, name,
                                         suggestionFor(name, *m_context.tableColumns)));
        }
        return;
    case FieldInfo::NOTHING:
    case FieldInfo::FILE:
        return;
    }
}

std::string NameChecker::suggestionFor(const std::string& name,
                                       const std::vector<std::string>& known)
{
    // Finding the nearest name compares it with all: limited, as a wide table may lack every
    // column.
    return --m_suggestionsLeft < 0 ? std::string() : suggestion(name, known);
}

void NameChecker::checkColumn(const std::string& name, const SpecPath& path)
{
    const auto found = m_columnCounts.find(name);
    const int count = found == m_columnCounts.end() ? 0 : found->second;
    if (count > 1) {
        m_context.report(path, error(ErrorCode::InvalidArgument, kAmbiguous, name, count));
    }
    if (count > 0) {
        return;
    }
    // A raw feature in place of a feature column is the usual mistake, so it has its own sentence.
    const bool raw = m_madeNames.contains(name) || m_featureNames.contains(name);
    m_context.report(path, raw ? error(ErrorCode::NotFound, kRawFeature, name)
                               : error(ErrorCode::NotFound, kDanglingColumn, name,
                                       suggestionFor(name, m_columns)));
}

void NameChecker::checkFeature(const FieldDescriptor& field, const std::string& name,
                               const SpecPath& path)
{
    // A feature that the experiment makes may have the name of a label's column.
    if (m_madeNames.contains(name)) {
        return;
    }
    if (m_labelNames.contains(name)) {
        m_context.report(path, error(ErrorCode::InvalidArgument, kLabelAsFeature, name));
        return;
    }
    if (m_keyNames.contains(name)) {
        m_context.report(path, error(ErrorCode::InvalidArgument, kKeyAsFeature, name));
        return;
    }
    // Without a table nothing is known about its columns.
    if (!m_features || m_featureNames.contains(name)) {
        return;
    }
    const bool mayBeColumn = field.containing_type() == InputReference::descriptor();
    m_context.report(path, mayBeColumn && m_columnCounts.contains(name)
                               ? error(ErrorCode::NotFound, kColumnNotFeature, name)
                               : error(ErrorCode::NotFound, kDanglingFeature, name,
                                       suggestionFor(name, *m_features)));
}

template <typename Elements>
void checkDuplicates(ValidationContext& context, const Elements& elements, const SpecPath& list)
{
    std::map<std::string, int> first;
    for (int i = 0; i < elements.size(); ++i) {
        const auto [known, inserted] = first.emplace(elements[i].name(), i);
        if (!inserted && !elements[i].name().empty()) {
            context.report(list.element(i).child("name"),
                           error(ErrorCode::AlreadyExists, kDuplicateName, known->first,
                                 list.element(known->second).toString()));
        }
    }
}

} // namespace

void checkNames(ValidationContext& context)
{
    const Experiment& experiment = context.experiment;
    const SpecPath data = SpecPath{}.child("data");
    checkDuplicates(context, experiment.feature_column(), SpecPath{}.child("feature_column"));
    checkDuplicates(context, experiment.data().column(), data.child("column"));
    checkDuplicates(context, experiment.data().feature(), data.child("feature"));
    checkDuplicates(context, experiment.data().label().heads().head(),
                    data.child("label").child("heads").child("head"));
    SpecPath path;
    NameChecker(context).walk(experiment, path);
}

} // namespace cannery::spec
