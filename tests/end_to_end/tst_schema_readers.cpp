// SPDX-License-Identifier: Apache-2.0
#include "core/spec/spec_validator.h"
#include "core/spec/text/parsed_experiment.h"
#include "core/spec/text/spec_override.h"
#include "core/spec/text/spec_path.h"
#include "core/train/train_and_evaluate.h"
#include "tests/end_to_end/extreme_experiments.h"
#include "tests/end_to_end/observed_training.h"
#include "tests/end_to_end/schema_readings.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

using namespace cannery;
using namespace cannery::tests;
using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

namespace {

using Fields = std::vector<const FieldDescriptor*>;

/// "EvalSpec.steps": without the schema's package.
std::string shortName(const FieldDescriptor& field)
{
    return field.containing_type()->name() + "." + field.name();
}

/// Every field that an experiment file can contain.
void addFields(const Descriptor& message, std::set<const Descriptor*>& seen,
               std::set<const FieldDescriptor*>& fields)
{
    if (!seen.insert(&message).second) {
        return;
    }
    for (int i = 0; i < message.field_count(); ++i) {
        fields.insert(message.field(i));
        if (message.field(i)->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
            addFields(*message.field(i)->message_type(), seen, fields);
        }
    }
}

/// The fields along a path, including its own.
Fields fieldsOn(const std::string& path)
{
    Fields fields;
    const Descriptor* message = spec::Experiment::descriptor();
    const Result<spec::SpecPath> parsed = spec::parsePath(path);
    for (const spec::PathStep& step : parsed->steps) {
        const FieldDescriptor* field = message->FindFieldByName(step.field);
        if (field == nullptr) {
            qFatal("%s is no path of the schema", path.c_str());
        }
        fields.push_back(field);
        message = field->message_type();
    }
    return fields;
}

std::string numberText(double value)
{
    std::ostringstream text;
    text.precision(17);
    text << value;
    return text.str();
}

/// Other values of a field that are worth trying.
std::vector<std::string> otherValues(const FieldDescriptor& field, const std::string& now)
{
    std::vector<std::string> values;
    if (field.cpp_type() == FieldDescriptor::CPPTYPE_BOOL) {
        values = {now == "true" ? "false" : "true"};
    } else if (field.cpp_type() == FieldDescriptor::CPPTYPE_ENUM) {
        for (int i = 0; i < field.enum_type()->value_count(); ++i) {
            values.push_back(field.enum_type()->value(i)->name());
        }
        std::erase(values, now);
    } else if (field.cpp_type() == FieldDescriptor::CPPTYPE_DOUBLE) {
        const double number = now.empty() ? 0 : std::stod(now);
        values = {numberText(number * 0.5 + 0.125), numberText(number * 2 + 1)};
    } else if (field.cpp_type() == FieldDescriptor::CPPTYPE_INT64 ||
               field.cpp_type() == FieldDescriptor::CPPTYPE_UINT64) {
        const long long number = now.empty() ? 0 : std::stoll(now);
        values = {std::to_string(number + 1), std::to_string(number / 2)};
        std::erase(values, now);
    }
    return values;
}

/// `--set` with another value, for every scalar that a message within this one could contain.
void addChanges(const Message& message, const spec::SpecPath& path, const spec::Experiment& whole,
                std::vector<std::string>& changes)
{
    const Reflection& reflection = *message.GetReflection();
    for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
        const FieldDescriptor& field = *message.GetDescriptor()->field(i);
        const spec::SpecPath here = path.child(field.name());
        const bool isMessage = field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
        const int count = field.is_repeated() ? reflection.FieldSize(message, &field) : 0;
        if (isMessage && field.is_repeated()) {
            for (int element = 0; element < count; ++element) {
                addChanges(reflection.GetRepeatedMessage(message, &field, element),
                           here.element(element), whole, changes);
            }
        } else if (isMessage && reflection.HasField(message, &field)) {
            addChanges(reflection.GetMessage(message, &field), here, whole, changes);
        } else if (!isMessage && !field.containing_oneof() && (!field.is_repeated() || count > 0)) {
            const spec::SpecPath place = count > 0 ? here.element(0) : here;
            const auto now = spec::valueText(whole, place);
            for (const std::string& value : otherValues(field, now ? *now : "")) {
                changes.push_back(place.toString() + "=" + value);
            }
        }
    }
}

} // namespace

/// Every field that an experiment file can contain is read by some code: its value affects the
/// result of training, or whether training is possible.
class TstSchemaReaders : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void cleanupTestCase();
    void trainingsAreObservedAlikeEveryTime_data();
    void trainingsAreObservedAlikeEveryTime();
    void namedChangesShow_data();
    void namedChangesShow();
    void everyFieldHasAReader();
    void inertFieldsChangeNothing_data();
    void inertFieldsChangeNothing();

private:
    spec::Experiment experiment(const std::string& name,
                                const std::vector<std::string>& given = {}) const;
    const Result<Observed>& observed(const spec::Experiment& experiment);
    void train(const std::string& name, const std::vector<std::string>& given,
               const QString& folder) const;
    bool shows(const spec::Experiment& base, const std::string& change);

    ProjectFixture m_project;
    QByteArray m_temporary;
    std::map<std::string, Result<Observed>> m_observed; ///< by the experiment's bytes
    std::set<const FieldDescriptor*> m_read;
};

spec::Experiment TstSchemaReaders::experiment(const std::string& name,
                                              const std::vector<std::string>& given) const
{
    const QByteArray text = m_project.read(QString::fromStdString(name));
    spec::Experiment experiment = spec::parseExperiment(text.toStdString()).experiment;
    for (const std::string& assignment : given) {
        if (const auto applied = spec::applyOverride(experiment, assignment); !applied) {
            qFatal("%s: %s", assignment.c_str(), applied.error().message().c_str());
        }
    }
    return experiment;
}

const Result<Observed>& TstSchemaReaders::observed(const spec::Experiment& experiment)
{
    const std::string key = experiment.SerializeAsString();
    auto found = m_observed.find(key);
    if (found == m_observed.end()) {
        const std::string file = m_project.path("experiment.cannery").toStdString();
        found = m_observed.emplace(key, observeTraining(experiment, file)).first;
    }
    return found->second;
}

void TstSchemaReaders::train(const std::string& name, const std::vector<std::string>& given,
                             const QString& folder) const
{
    VERIFY_OK(train::trainAndEvaluate({.experiment = experiment(name, given),
                                       .experimentFile = m_project.path("x.cannery").toStdString(),
                                       .modelDir = m_project.path(folder).toStdString()}));
}

void TstSchemaReaders::initTestCase()
{
    m_project.spoils();
    writeExtremeExperiments(m_project);
    writeSchemaTables(m_project);
    // Rows that do not fit into memory have no place, so it becomes visible when there are any.
    m_temporary = qgetenv("TMPDIR");
    qputenv("TMPDIR", "/nonexistent");
    const std::string otherSeed = "run_config.tf_random_seed=2";
    const std::string table =
        "feature_column[s].shared_embeddings.shared_embedding_collection_name";
    train("linear.cannery", {}, "first");
    train("linear.cannery", {otherSeed, "train_spec.max_steps=5"}, "second");
    train("dnn.cannery", {}, "first_dnn");
    train("dnn.cannery", {otherSeed, "train_spec.max_steps=5"}, "second_dnn");
    train("dnn_estimator.cannery", {table + "=colours"}, "first_shared");
    train("dnn_estimator.cannery", {table + "=colours", otherSeed}, "second_shared");
}

void TstSchemaReaders::cleanupTestCase()
{
    m_temporary.isNull() ? qunsetenv("TMPDIR") : qputenv("TMPDIR", m_temporary);
}

void TstSchemaReaders::trainingsAreObservedAlikeEveryTime_data()
{
    QTest::addColumn<QString>("name");
    for (const QString& name : extremeExperiments()) {
        QTest::newRow(qPrintable(name)) << name;
    }
}

void TstSchemaReaders::trainingsAreObservedAlikeEveryTime()
{
    QFETCH(QString, name);
    const spec::Experiment base = experiment(name.toStdString());
    const Result<Observed>& first = observed(base);
    VERIFY_OK(first);
    const Result<Observed> again =
        observeTraining(base, m_project.path("experiment.cannery").toStdString());
    VERIFY_OK(again);
    for (const auto& [what, bytes] : *first) {
        QVERIFY2(again->contains(what) && again->at(what) == bytes, what.c_str());
    }
    QCOMPARE(again->size(), first->size());
    QVERIFY(first->size() > 20);
}

/// Whether the change affects training, and both versions work.
bool TstSchemaReaders::shows(const spec::Experiment& base, const std::string& change)
{
    spec::Experiment changed = base;
    if (!spec::applyOverride(changed, change)) {
        return false;
    }
    const Result<Observed>& before = observed(base);
    const Result<Observed>& after = observed(changed);
    return before && after && *before != *after;
}

void TstSchemaReaders::namedChangesShow_data()
{
    QTest::addColumn<int>("number");
    int number = 0;
    for (const SchemaReading& reading : schemaReadings()) {
        QTest::addRow("%s %s", reading.experiment.c_str(), reading.change.c_str()) << number++;
    }
}

void TstSchemaReaders::namedChangesShow()
{
    QFETCH(int, number);
    const SchemaReading& reading = schemaReadings()[static_cast<std::size_t>(number)];
    const spec::Experiment base = experiment(reading.experiment, reading.given);
    VERIFY_OK(observed(base));
    spec::Experiment changed = base;
    const auto applied = spec::applyOverride(changed, reading.change);
    VERIFY_OK(applied);
    if (reading.refusal.empty()) {
        VERIFY_OK(observed(changed));
        QVERIFY2(*observed(changed) != *observed(base), "nothing reads it");
    } else {
        VERIFY_ERROR(observed(changed), reading.refusal.c_str());
    }
    const Fields fields = fieldsOn(reading.change.substr(0, reading.change.find('=')));
    m_read.insert(fields.begin(), fields.end());
}

/// The remaining fields are tried with other numbers, switches and choices wherever they occur.
void TstSchemaReaders::everyFieldHasAReader()
{
    for (const QString& name : extremeExperiments()) {
        const spec::Experiment base = experiment(name.toStdString());
        std::vector<std::string> changes;
        addChanges(base, {}, base, changes);
        for (const std::string& change : changes) {
            const Fields fields = fieldsOn(change.substr(0, change.find('=')));
            const bool isNew = std::any_of(fields.begin(), fields.end(), [&](const auto* field) {
                return !m_read.contains(field);
            });
            if (isNew && shows(base, change)) {
                m_read.insert(fields.begin(), fields.end());
            }
        }
    }
    std::set<const Descriptor*> seen;
    std::set<const FieldDescriptor*> fields;
    addFields(*spec::Experiment::descriptor(), seen, fields);
    QVERIFY(fields.size() > 300);
    std::set<std::string> inert;
    for (const InertField& field : inertFields()) {
        inert.insert(field.name);
    }
    QStringList unread;
    for (const FieldDescriptor* field : fields) {
        if (!m_read.contains(field) && inert.erase(shortName(*field)) == 0) {
            unread << QString::fromStdString(shortName(*field));
        }
    }
    QVERIFY2(unread.isEmpty(), qPrintable("Nothing reads " + unread.join(' ')));
    QStringList listed;
    for (const std::string& name : inert) {
        listed << QString::fromStdString(name);
    }
    QVERIFY2(listed.isEmpty(),
             qPrintable("Listed as inert, but read or gone: " + listed.join(' ')));
}

void TstSchemaReaders::inertFieldsChangeNothing_data()
{
    QTest::addColumn<QString>("change");
    QTest::addColumn<QString>("name");
    for (const InertField& field : inertFields()) {
        QTest::newRow(field.name.c_str()) << QString(field.change) << QString(field.experiment);
    }
}

/// Checks that the list contains no field that does have an effect.
void TstSchemaReaders::inertFieldsChangeNothing()
{
    QFETCH(QString, change);
    QFETCH(QString, name);
    QVERIFY(observed(experiment(name.toStdString())));
    const auto& after = observed(experiment(name.toStdString(), {change.toStdString()}));
    VERIFY_OK(after);
    QVERIFY(*after == *observed(experiment(name.toStdString())));
}

CANNERY_TEST(TstSchemaReaders)
#include "tst_schema_readers.moc"
