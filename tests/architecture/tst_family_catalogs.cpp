// SPDX-License-Identifier: Apache-2.0
#include "core/data/sources/data_source_catalog.h"
#include "core/estimators/estimator_catalog.h"
#include "core/features/feature_column_catalog.h"
#include "core/heads/chosen_loss_catalog.h"
#include "core/heads/head_catalog.h"
#include "core/layers/layer_catalog.h"
#include "core/metrics/metric_catalog.h"
#include "core/optimizers/optimizer_catalog.h"
#include "core/schedules/schedule_catalog.h"
#include "core/spec/checks/column_rules.h"
#include "core/spec/experiment.pb.h"
#include "core/spec/head_kinds.h"
#include "core/spec/layers.pb.h"
#include "core/spec/message_access.h"
#include "core/spec/metric_kinds.h"
#include "core/strategies/strategy_catalog.h"
#include "core/train/exporters/exporter_catalog.h"
#include "core/train/hooks/hook_catalog.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace cannery;

namespace {

using NumbersByName = std::map<std::string, int>;

template <typename Rows>
NumbersByName rowsOf(const Rows& rows)
{
    NumbersByName result;
    for (const auto& row : rows) {
        result[std::string(row.name)] = static_cast<int>(row.key);
    }
    return result;
}

/// The members of the oneof `kind` of a message, by name.
NumbersByName membersOf(const google::protobuf::Descriptor& message)
{
    NumbersByName result;
    const google::protobuf::OneofDescriptor& kind = *message.FindOneofByName("kind");
    for (int i = 0; i < kind.field_count(); ++i) {
        result[kind.field(i)->name()] = kind.field(i)->number();
    }
    return result;
}

std::string namesOf(const NumbersByName& members)
{
    std::string text;
    for (const auto& [name, number] : members) {
        text += name + "=" + std::to_string(number) + " ";
    }
    return text;
}

/// Catalogs of families by the full name of the message whose `kind` they map.
std::map<std::string, NumbersByName> catalogs()
{
    return {
        {"cannery.spec.DataSource", rowsOf(data::dataSourceCatalog())},
        {"cannery.spec.Estimator", rowsOf(estimators::estimatorCatalog())},
        {"cannery.spec.Exporter", rowsOf(train::exporterCatalog())},
        {"cannery.spec.FeatureColumn", rowsOf(features::featureColumnCatalog())},
        {"cannery.spec.Head", rowsOf(heads::headCatalog())},
        {"cannery.spec.Hook", rowsOf(train::hookCatalog())},
        {"cannery.spec.Layer", rowsOf(layers::layerCatalog())},
        {"cannery.spec.Loss", rowsOf(heads::chosenLossCatalog())},
        {"cannery.spec.Metric", rowsOf(metrics::chosenMetricCatalog())},
        {"cannery.spec.Optimizer", rowsOf(optimizers::optimizerCatalog())},
        {"cannery.spec.Schedule", rowsOf(schedules::scheduleCatalog())},
        {"cannery.spec.Strategy", rowsOf(strategies::strategyCatalog())},
    };
}

/// Choices of a message that are not families: a single folder reads all of them.
const std::map<std::string, std::string> kNoFamilies{
    {"cannery.spec.Feature", "core/data makes features"},
    {"cannery.spec.HeadLabel", "core/data reads labels"},
    {"cannery.spec.InitialClusters", "core/estimators/kmeans_start"},
    {"cannery.spec.Initializer", "core/plan draws initial values"},
    {"cannery.spec.InputReference", "a reference"},
    {"cannery.spec.Label", "core/data reads labels"},
    {"cannery.spec.Normalizer", "core/features/normalizer"},
    {"cannery.spec.Split", "core/data splits rows"},
};

/// The cases of a oneof in C++: "kNumericColumn".
std::set<std::string> casesOf(const google::protobuf::Descriptor& message)
{
    std::set<std::string> cases;
    for (const auto& [name, number] : membersOf(message)) {
        std::string text = message.FindFieldByNumber(number)->camelcase_name();
        text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
        cases.insert("k" + text);
    }
    return cases;
}

/// "FeatureColumn::kNumericColumn" and the like in a source, for the families that use the schema
/// and their catalog for everything else.
QStringList casesIn(const std::filesystem::path& source)
{
    static const std::set<std::string> kCases = [] {
        std::set<std::string> cases = casesOf(*spec::FeatureColumn::descriptor());
        for (const auto* family : {spec::DataSource::descriptor(), spec::Estimator::descriptor(),
                                   spec::Head::descriptor(), spec::Layer::descriptor()}) {
            cases.merge(casesOf(*family));
        }
        return cases;
    }();
    static const std::regex kCase(
        R"((?:FeatureColumn|DataSource|Estimator|Head|Layer|Kind)::(k[A-Z]\w*))");
    std::ifstream stream(source);
    const std::string text((std::istreambuf_iterator<char>(stream)), {});
    QStringList found;
    for (std::sregex_iterator match(text.begin(), text.end(), kCase), end; match != end; ++match) {
        if (kCases.contains((*match)[1])) {
            found << QString::fromStdString(source.filename().string() + ": " + match->str());
        }
    }
    return found;
}

/// "has_numeric_column()" and the like in a source: a check for a specific member.
QStringList questionsIn(const std::filesystem::path& source)
{
    static const NumbersByName kMembers = [] {
        NumbersByName members = membersOf(*spec::FeatureColumn::descriptor());
        members.merge(membersOf(*spec::Estimator::descriptor()));
        members.merge(membersOf(*spec::DataSource::descriptor()));
        return members;
    }();
    static const std::regex kQuestion(R"(\bhas_(\w+)\(\))");
    std::ifstream stream(source);
    const std::string text((std::istreambuf_iterator<char>(stream)), {});
    QStringList found;
    for (std::sregex_iterator match(text.begin(), text.end(), kQuestion), end; match != end;
         ++match) {
        if (kMembers.contains((*match)[1])) {
            found << QString::fromStdString(source.filename().string() + ": " + match->str());
        }
    }
    return found;
}

/// The families whose members no code distinguishes.
std::vector<const google::protobuf::Descriptor*> families()
{
    return {spec::FeatureColumn::descriptor(), spec::DataSource::descriptor(),
            spec::Estimator::descriptor()};
}

/// What a rule finds in a source, if the name that it captures is one of `names`.
QStringList namedIn(const std::filesystem::path& source, const std::regex& rule,
                    const std::set<std::string>& names)
{
    std::ifstream stream(source);
    const std::string text((std::istreambuf_iterator<char>(stream)), {});
    QStringList found;
    for (std::sregex_iterator match(text.begin(), text.end(), rule), end; match != end; ++match) {
        if (names.contains((*match)[1])) {
            found << QString::fromStdString(source.filename().string() + ": " + match->str());
        }
    }
    return found;
}

/// Questions for a member's class, and paths that name one: facts that stand on its message, or in
/// a row of its family.
QStringList relapsesIn(const std::filesystem::path& source)
{
    static const std::regex kCast(R"(dynamic_cast<const spec::(\w+)\s*\*>)");
    static const std::regex kChild(R"re(\bchild\("(\w+)"\))re");
    static const auto kNames = [] {
        std::pair<std::set<std::string>, std::set<std::string>> names; // classes, fields
        for (const google::protobuf::Descriptor* family : families()) {
            for (const auto& [name, number] : membersOf(*family)) {
                names.first.insert(family->FindFieldByNumber(number)->message_type()->name());
                names.second.insert(name);
            }
        }
        return names;
    }();
    return namedIn(source, kCast, kNames.first) + namedIn(source, kChild, kNames.second);
}

/// "*.csv" in a source: a list of the files that data sources read.
QStringList filePatternsIn(const std::filesystem::path& source)
{
    static const std::regex kPattern(R"re("(\*\.\w+)[*"])re");
    static const auto kPatterns = [] {
        std::set<std::string> patterns;
        const auto& family = *spec::DataSource::descriptor();
        for (const auto& [name, number] : membersOf(family)) {
            const auto& member = *family.FindFieldByNumber(number)->message_type();
            const auto& files = member.options().GetExtension(spec::source);
            patterns.insert(files.patterns().begin(), files.patterns().end());
        }
        return patterns;
    }();
    return namedIn(source, kPattern, kPatterns);
}

/// The field named in the braces of "{categorical_column}_indicator".
std::vector<std::string> fieldsIn(const std::string& rule)
{
    static const std::regex kField(R"(\{(\w+)\})");
    std::vector<std::string> fields;
    for (std::sregex_iterator match(rule.begin(), rule.end(), kField), end; match != end; ++match) {
        fields.push_back((*match)[1]);
    }
    return fields;
}

} // namespace

/// Adding a member is one row: every member of the schema has a row, and every row a member.
class TstFamilyCatalogs : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyMemberHasARowAndEveryRowAMember();
    void everyChoiceOfTheSchemaIsAFamilyOrNamed();
    void onlyCatalogsNameMembers();
    void nobodyListsFilesOfSources();
    void everySourceSaysItsFiles();
    void everyFeatureColumnSaysWhatItIs();
    void everyHeadSaysWhatItLearnsFrom();
    void everyMetricSaysWhatItFits();
    void everyPartOfAnEstimatorSaysWhatTrainsIt();
};

void TstFamilyCatalogs::everyMemberHasARowAndEveryRowAMember()
{
    const auto* pool = spec::Experiment::descriptor()->file()->pool();
    for (const auto& [message, rows] : catalogs()) {
        const auto* descriptor = pool->FindMessageTypeByName(message);
        QVERIFY2(descriptor != nullptr, message.c_str());
        QCOMPARE(namesOf(rows), namesOf(membersOf(*descriptor)));
    }
}

void TstFamilyCatalogs::everyChoiceOfTheSchemaIsAFamilyOrNamed()
{
    const auto families = catalogs();
    const auto* experiment = spec::Experiment::descriptor()->file();
    for (int f = -1; f < experiment->dependency_count(); ++f) {
        const auto* file = f < 0 ? experiment : experiment->dependency(f);
        for (int m = 0; m < file->message_type_count(); ++m) {
            const auto* message = file->message_type(m);
            if (message->FindOneofByName("kind") != nullptr) {
                const bool known = families.count(message->full_name()) > 0 ||
                                   kNoFamilies.count(message->full_name()) > 0;
                QVERIFY2(known, message->full_name().c_str());
            }
        }
    }
}

/// Code that distinguishes members would be another place to update for a new member.
void TstFamilyCatalogs::onlyCatalogsNameMembers()
{
    namespace fs = std::filesystem;
    QStringList wrong;
    int rows = 0;
    for (const char* room : {"app/cannery", "core"}) {
        for (const auto& entry :
             fs::recursive_directory_iterator(fs::path(CANNERY_SOURCE_DIR) / room)) {
            const std::string name = entry.path().filename().string();
            const bool isSource = name.ends_with(".cpp") || name.ends_with(".h");
            const QStringList found = isSource ? casesIn(entry.path()) : QStringList();
            if (name.ends_with("_catalog.cpp") || name == "column_rules.cpp" ||
                name == "estimator_rules.cpp" || name == "head_kinds.cpp") {
                rows += static_cast<int>(found.size());
            } else {
                wrong += found;
            }
            wrong +=
                isSource ? questionsIn(entry.path()) + relapsesIn(entry.path()) : QStringList();
        }
    }
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join("\n")));
    QVERIFY(rows > 30);
}

void TstFamilyCatalogs::nobodyListsFilesOfSources()
{
    namespace fs = std::filesystem;
    QStringList wrong;
    int sources = 0;
    for (const char* room : {"app", "core", "ui"}) {
        for (const auto& entry :
             fs::recursive_directory_iterator(fs::path(CANNERY_SOURCE_DIR) / room)) {
            if (entry.path().extension() == ".cpp" || entry.path().extension() == ".h") {
                wrong += filePatternsIn(entry.path());
                ++sources;
            }
        }
    }
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join("\n")));
    QVERIFY(sources > 500);
}

void TstFamilyCatalogs::everySourceSaysItsFiles()
{
    const auto& family = *spec::DataSource::descriptor();
    std::set<std::string> taken;
    for (const auto& [name, number] : membersOf(family)) {
        const auto& member = *family.FindFieldByNumber(number)->message_type();
        const spec::SourceFiles& files = member.options().GetExtension(spec::source);
        // Its files have no names: it is a folder, chosen as one.
        const bool isFolder =
            member.FindFieldByName("files") == nullptr && member.FindFieldByName("file") == nullptr;
        QVERIFY2(isFolder ? files.patterns_size() == 0 : files.patterns_size() > 0, name.c_str());
        for (const std::string& pattern : files.patterns()) {
            QVERIFY2(pattern.starts_with("*."), pattern.c_str());
            QVERIFY2(taken.insert(pattern).second, pattern.c_str());
        }
    }
}

void TstFamilyCatalogs::everyFeatureColumnSaysWhatItIs()
{
    const auto& family = *spec::FeatureColumn::descriptor();
    for (const auto& [name, number] : membersOf(family)) {
        const auto& member = *family.FindFieldByNumber(number)->message_type();
        const spec::ColumnKind& kind = member.options().GetExtension(spec::column_kind);
        QVERIFY2(kind.gives_size() > 0, name.c_str());
        QVERIFY2(kind.has_tensorflow_name() != kind.has_joined_by(), name.c_str());
        std::vector<std::string> named = fieldsIn(kind.tensorflow_name());
        QVERIFY2(kind.has_joined_by() || !named.empty(), name.c_str());
        if (kind.has_crossed_by()) {
            named.push_back(kind.crossed_by());
        }
        for (const std::string& field : named) {
            QVERIFY2(member.FindFieldByName(field) != nullptr, (name + "." + field).c_str());
        }
    }
    for (const spec::ColumnRules& rules : spec::columnRules()) {
        QVERIFY(family.FindFieldByNumber(rules.key) != nullptr);
        QVERIFY(rules.check != nullptr || rules.resolve != nullptr || rules.idCount != nullptr);
    }
}

void TstFamilyCatalogs::everyHeadSaysWhatItLearnsFrom()
{
    NumbersByName single = membersOf(*spec::Head::descriptor());
    single.erase("multi_head");
    NumbersByName rows;
    for (const spec::HeadKind& kind : spec::headKinds()) {
        rows[spec::Head::descriptor()->FindFieldByNumber(kind.key)->name()] = kind.key;
        const auto& member = *spec::Head::descriptor()->FindFieldByNumber(kind.key)->message_type();
        const bool hasClasses =
            kind.labels == spec::LabelKind::ClassId || kind.labels == spec::LabelKind::MultiHot;
        // A head of several kinds of labels has the arguments of all of them.
        const bool isEither =
            std::ranges::count(spec::headKinds(), kind.key, &spec::HeadKind::key) > 1;
        QCOMPARE(member.FindFieldByName("n_classes") != nullptr, isEither || hasClasses);
        QCOMPARE(member.FindFieldByName("label_dimension") != nullptr,
                 isEither || kind.labels == spec::LabelKind::Number);
    }
    QCOMPARE(namesOf(rows), namesOf(single));
}

void TstFamilyCatalogs::everyMetricSaysWhatItFits()
{
    NumbersByName rows;
    for (const spec::MetricKind& kind : spec::metricKinds()) {
        rows[spec::Metric::descriptor()->FindFieldByNumber(kind.key)->name()] = kind.key;
        QVERIFY(!kind.fits.empty());
    }
    QCOMPARE(namesOf(rows), namesOf(membersOf(*spec::Metric::descriptor())));
}

void TstFamilyCatalogs::everyPartOfAnEstimatorSaysWhatTrainsIt()
{
    const auto optimizers = membersOf(*spec::Optimizer::descriptor());
    const auto& family = *spec::Estimator::descriptor();
    for (const auto& [name, number] : membersOf(family)) {
        const auto& member = *family.FindFieldByNumber(number)->message_type();
        int parts = 0;
        for (int i = 0; i < member.field_count(); ++i) {
            const auto& field = *member.field(i);
            if (spec::isMessage(field) && field.message_type() == spec::Optimizer::descriptor()) {
                const auto& wanted = field.options().GetExtension(spec::default_optimizer);
                QVERIFY2(optimizers.contains(wanted.kind()), field.full_name().c_str());
                QVERIFY(!wanted.has_columns() || member.FindFieldByName(wanted.columns()));
                ++parts;
            }
            const std::string& beside = spec::infoOf(field).beside();
            QVERIFY(beside.empty() || member.FindFieldByName(beside) != nullptr);
        }
        const bool hasOwnSteps = name == "kmeans" || name.starts_with("boosted_trees");
        QVERIFY2((parts > 0) != hasOwnSteps, name.c_str());
    }
}

CANNERY_TEST(TstFamilyCatalogs)
#include "tst_family_catalogs.moc"
