// SPDX-License-Identifier: Apache-2.0
#include "core/estimators/estimator_catalog.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <google/protobuf/descriptor.h>

using namespace cannery;

class TstEstimatorCatalog : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void hasARowForEveryEstimatorOfTheSchema();
    void refusesAnExperimentWithoutEstimator();
};

void TstEstimatorCatalog::hasARowForEveryEstimatorOfTheSchema()
{
    const auto* kinds = spec::Estimator::descriptor()->oneof_decl(0);
    const auto rows = estimators::estimatorCatalog();
    QCOMPARE(static_cast<int>(rows.size()), kinds->field_count());
    for (int index = 0; index < kinds->field_count(); ++index) {
        const auto* field = kinds->field(index);
        const estimators::EstimatorRow& row = rows[static_cast<std::size_t>(index)];
        QCOMPARE(static_cast<int>(row.key), field->number());
        QCOMPARE(std::string(row.name), field->name());
        QCOMPARE(std::string(row.tensorflowName), field->message_type()->name());
    }
}

void TstEstimatorCatalog::refusesAnExperimentWithoutEstimator()
{
    VERIFY_ERROR(estimators::lower({}, {}), "estimators.none");
}

CANNERY_TEST(TstEstimatorCatalog)
#include "tst_estimator_catalog.moc"
