// SPDX-License-Identifier: Apache-2.0
#include "core/spec/spec_validator.h"
#include "core/spec/text/parsed_experiment.h"
#include "core/spec/text/spec_override.h"
#include "core/spec/text/spec_path.h"
#include "tests/end_to_end/extreme_experiments.h"
#include "tests/end_to_end/project_fixture.h"
#include "tests/support/test_main.h"

#include <QDir>
#include <QTest>

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <deque>
#include <map>
#include <set>

using namespace cannery;
using namespace cannery::tests;
using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

namespace {

/// A number of the schema in one of the experiments.
struct Place
{
    const FieldDescriptor* field = nullptr;
    QString path; ///< for --set
};

bool isWhole(const FieldDescriptor& field)
{
    return field.cpp_type() == FieldDescriptor::CPPTYPE_INT64 ||
           field.cpp_type() == FieldDescriptor::CPPTYPE_UINT64;
}

bool isNumber(const FieldDescriptor& field)
{
    return isWhole(field) || field.cpp_type() == FieldDescriptor::CPPTYPE_DOUBLE;
}

/// Every number that a message within this one could contain, set or not.
void addPlaces(const Message& message, const spec::SpecPath& path, std::vector<Place>& places)
{
    const Reflection& reflection = *message.GetReflection();
    for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
        const FieldDescriptor& field = *message.GetDescriptor()->field(i);
        const spec::SpecPath here = path.child(field.name());
        const int count = field.is_repeated() ? reflection.FieldSize(message, &field) : 0;
        if (isNumber(field) && !field.containing_oneof()) {
            const spec::SpecPath element = count > 0 ? here.element(0) : here;
            places.push_back({&field, QString::fromStdString(element.toString())});
        } else if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE && field.is_repeated()) {
            for (int element = 0; element < count; ++element) {
                addPlaces(reflection.GetRepeatedMessage(message, &field, element),
                          here.element(element), places);
            }
        } else if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE &&
                   reflection.HasField(message, &field)) {
            addPlaces(reflection.GetMessage(message, &field), here, places);
        }
    }
}

/// Every number of the schema below a message.
void addNumbers(const Descriptor& message, std::set<const Descriptor*>& seen,
                std::set<QString>& numbers)
{
    if (!seen.insert(&message).second) {
        return;
    }
    for (int i = 0; i < message.field_count(); ++i) {
        const FieldDescriptor& field = *message.field(i);
        if (isNumber(field)) {
            numbers.insert(QString::fromStdString(field.full_name()));
        } else if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
            addNumbers(*field.message_type(), seen, numbers);
        }
    }
}

const QStringList kWhole{
    "0", "-1", "1", "2147483647", "2147483648", "9223372036854775807", "-9223372036854775808"};
const QStringList kReal{"nan", "inf", "-inf", "1e308", "-1e308"};

/// A training that only its own length could end is only checked.
bool isEndless(const Place& place, const QString& value)
{
    const std::string& name = place.field->name();
    return (name == "max_steps" || name == "num_epochs") && value.size() > 3;
}

/// Whether the checks of an experiment find an error after one `--set`.
bool isRefused(const std::string& text, const QString& path, const QString& value)
{
    spec::Experiment experiment = spec::parseExperiment(text).experiment;
    const std::string assignment = (path + "=" + value).toStdString();
    return !spec::applyOverride(experiment, assignment) ||
           spec::hasErrors(spec::validate(experiment));
}

/// A running process of `cannery`.
struct Job
{
    QString what;
    QString folder;
    std::unique_ptr<QProcess> process;
};

constexpr std::size_t kAtOnce = 3;

} // namespace

/// Every number of an experiment at the limits of its type: training works or gives an error, and
/// `check` reports the same beforehand.
class TstExtremeNumbers : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void cleanupTestCase() { qunsetenv("CANNERY_MEMORY_BYTES"); }
    void experimentsHoldEveryNumberOfTheSchema();
    void noNumberBreaksTraining_data();
    void noNumberBreaksTraining();
    void realNumbersBeyondFloatAreRefused_data();
    void realNumbersBeyondFloatAreRefused();

private:
    void start(const QStringList& arguments, const QString& what, const QString& folder);
    void finishOne();

    ProjectFixture m_project;
    std::deque<Job> m_jobs;
    QStringList m_wrong;
    std::map<QString, int> m_codes; ///< of `check`, by what was set
};

void TstExtremeNumbers::initTestCase()
{
    // The results must not depend on the machine's resources.
    qputenv("CANNERY_MEMORY_BYTES", "200000000");
    writeExtremeExperiments(m_project);
    const ProgramResult first =
        m_project.run({"train", "linear.cannery", "--model-dir", "first", "--quiet"});
    QVERIFY2(first.exitCode == 0, qPrintable(first.err));
}

void TstExtremeNumbers::experimentsHoldEveryNumberOfTheSchema()
{
    std::set<QString> numbers;
    std::set<const Descriptor*> seen;
    addNumbers(*spec::Experiment::descriptor(), seen, numbers);
    QVERIFY(numbers.size() > 100);
    for (const QString& name : extremeExperiments()) {
        const QByteArray text = m_project.read(name);
        const spec::ParsedExperiment parsed = spec::checkExperiment(text.toStdString(), {});
        for (const spec::Problem& problem : parsed.problems) {
            QVERIFY2(problem.severity == spec::Severity::Warning,
                     spec::render(problem, name.toStdString()).c_str());
        }
        std::vector<Place> places;
        addPlaces(parsed.experiment, {}, places);
        for (const Place& place : places) {
            numbers.erase(QString::fromStdString(place.field->full_name()));
        }
    }
    QCOMPARE(QStringList(numbers.begin(), numbers.end()).join(' '), QString());
}

void TstExtremeNumbers::noNumberBreaksTraining_data()
{
    QTest::addColumn<QString>("experiment");
    for (const QString& name : extremeExperiments()) {
        QTest::newRow(qPrintable(name)) << name;
    }
}

void TstExtremeNumbers::start(const QStringList& arguments, const QString& what,
                              const QString& folder)
{
    if (m_jobs.size() >= kAtOnce) {
        finishOne();
    }
    m_jobs.push_back({what, folder, m_project.start(arguments)});
}

/// Waits for the oldest.
void TstExtremeNumbers::finishOne()
{
    constexpr int kLongest = 120'000;
    const Job job = std::move(m_jobs.front());
    m_jobs.pop_front();
    const bool ended = job.process->waitForFinished(kLongest);
    if (!ended) {
        job.process->kill();
        job.process->waitForFinished();
    }
    const QString error = QString::fromUtf8(job.process->readAllStandardError());
    const QString output = QString::fromUtf8(job.process->readAllStandardOutput());
    const bool normal = ended && job.process->exitStatus() == QProcess::NormalExit;
    const int code = normal ? job.process->exitCode() : -1;
    const bool says = (error + output).trimmed().contains(QStringLiteral("error: "));
    if (code != 0 && (code != 3 || !says)) {
        m_wrong << QStringLiteral("%1: exit %2: %3").arg(job.what).arg(code).arg(error);
    }
    if (job.folder.isEmpty()) {
        m_codes[job.what] = code;
    } else if (code == 3 && m_codes[job.what] == 0 && !job.what.startsWith("warm_start.") &&
               !job.what.contains("token_embedding.input_dim")) {
        // What a warm start lacks is only known once the other model is read; which ids there are,
        // once the rows are.
        m_wrong << QStringLiteral("%1: check found nothing, but: %2").arg(job.what, error);
    } else if (code == 0 && m_codes[job.what] != 0) {
        m_wrong << QStringLiteral("%1: trained, but check found an error").arg(job.what);
    }
    QDir(m_project.path(job.folder.isEmpty() ? QStringLiteral("none") : job.folder))
        .removeRecursively();
}

void TstExtremeNumbers::noNumberBreaksTraining()
{
    QFETCH(QString, experiment);
    static std::set<const FieldDescriptor*> s_done;
    m_wrong.clear();
    m_codes.clear();
    const spec::ParsedExperiment parsed =
        spec::checkExperiment(m_project.read(experiment).toStdString(), {});
    std::vector<Place> places;
    addPlaces(parsed.experiment, {}, places);
    struct Case
    {
        QString assignment;
        bool trains = true;
    };
    std::vector<Case> cases;
    for (const Place& place : places) {
        if (!isWhole(*place.field) || !s_done.insert(place.field).second) {
            continue;
        }
        for (const QString& value : kWhole) {
            cases.push_back({place.path + "=" + value, !isEndless(place, value)});
        }
    }
    for (const Case& one : cases) {
        start({"check", experiment, "--set", one.assignment}, one.assignment, {});
    }
    while (!m_jobs.empty()) {
        finishOne();
    }
    int number = 0;
    for (const Case& one : cases) {
        const QString folder = QStringLiteral("run%1").arg(++number);
        if (one.trains && m_codes[one.assignment] == 0) {
            start({"train", experiment, "--set", one.assignment, "--model-dir", folder, "--quiet",
                   "--allow-commands"},
                  one.assignment, folder);
        }
    }
    while (!m_jobs.empty()) {
        finishOne();
    }
    QVERIFY2(m_wrong.isEmpty(), qPrintable(m_wrong.join('\n')));
}

void TstExtremeNumbers::realNumbersBeyondFloatAreRefused_data()
{
    noNumberBreaksTraining_data();
}

void TstExtremeNumbers::realNumbersBeyondFloatAreRefused()
{
    QFETCH(QString, experiment);
    const std::string text = m_project.read(experiment).toStdString();
    std::vector<Place> places;
    addPlaces(spec::parseExperiment(text).experiment, {}, places);
    QStringList accepted;
    for (const Place& place : places) {
        for (const QString& value : isWhole(*place.field) ? QStringList() : kReal) {
            if (!isRefused(text, place.path, value)) {
                accepted << place.path + "=" + value;
            }
        }
    }
    QCOMPARE(accepted, QStringList());
}

CANNERY_TEST(TstExtremeNumbers)
#include "tst_extreme_numbers.moc"
