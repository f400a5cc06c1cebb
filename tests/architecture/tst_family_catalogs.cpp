// SPDX-License-Identifier: Apache-2.0
#include "core/data/data_source_catalog.h"
#include "core/estimators/estimator_catalog.h"
#include "core/features/feature_column_catalog.h"
#include "core/heads/head_catalog.h"
#include "core/layers/layer_catalog.h"
#include "core/optimizers/optimizer_catalog.h"
#include "core/schedules/schedule_catalog.h"
#include "core/spec/experiment.pb.h"
#include "core/spec/layers.pb.h"
#include "core/train/exporters/exporter_catalog.h"
#include "core/train/hooks/hook_catalog.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <map>
#include <string>

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

/// Catalogs of families by the full name of the message whose `kind` they bind.
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
        {"cannery.spec.Optimizer", rowsOf(optimizers::optimizerCatalog())},
        {"cannery.spec.Schedule", rowsOf(schedules::scheduleCatalog())},
    };
}

/// Choices of a message that are no family: one room reads all of them.
const std::map<std::string, std::string> kNoFamilies{
    {"cannery.spec.Feature", "core/data makes features"},
    {"cannery.spec.HeadLabel", "core/data reads labels"},
    {"cannery.spec.Initializer", "core/plan draws initial values"},
    {"cannery.spec.InputReference", "a reference"},
    {"cannery.spec.Label", "core/data reads labels"},
    {"cannery.spec.Normalizer", "core/features/normalizer"},
    {"cannery.spec.Split", "core/data splits rows"},
    {"cannery.spec.Strategy", "one device so far"},
};

} // namespace

/// Adding a member is one row: no member of the schema without a row, no row without a member.
class TstFamilyCatalogs : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyMemberHasARowAndEveryRowAMember();
    void everyChoiceOfTheSchemaIsAFamilyOrNamed();
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

CANNERY_TEST(TstFamilyCatalogs)
#include "tst_family_catalogs.moc"
