// SPDX-License-Identifier: Apache-2.0
#include "core/export/program/argument_rules.h"
#include "core/spec/experiment.pb.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <set>

using namespace cannery;

/// The program export decides about every member of a family: a counterpart, or a refusal.
class TstArgumentRules : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyMemberHasACounterpartOrNone_data();
    void everyMemberHasACounterpartOrNone();
    void rulesNameFieldsOfTheSchema();
};

namespace {

/// In no version of tf.estimator, or written without a call of their own.
const std::set<std::string> kWithout{"AdamWOptimizer", "ProximalGradientDescentOptimizer",
                                     "ProximalAdagradOptimizer", "ConstantSchedule",
                                     "OneDeviceStrategy"};

} // namespace

void TstArgumentRules::everyMemberHasACounterpartOrNone_data()
{
    QTest::addColumn<QString>("message");
    for (const google::protobuf::Descriptor* family :
         {spec::Estimator::descriptor(), spec::FeatureColumn::descriptor(),
          spec::Head::descriptor(), spec::Optimizer::descriptor(), spec::Schedule::descriptor(),
          spec::Initializer::descriptor(), spec::Strategy::descriptor()}) {
        const google::protobuf::OneofDescriptor* kind = family->FindOneofByName("kind");
        QVERIFY(kind != nullptr);
        for (int i = 0; i < kind->field_count(); ++i) {
            const std::string& name = kind->field(i)->message_type()->name();
            QTest::newRow(name.c_str()) << QString::fromStdString(name);
        }
    }
}

void TstArgumentRules::everyMemberHasACounterpartOrNone()
{
    QFETCH(QString, message);
    const bool hasCounterpart = exporting::callableOf(message.toStdString()) != nullptr;
    QCOMPARE(hasCounterpart, !kWithout.contains(message.toStdString()));
}

void TstArgumentRules::rulesNameFieldsOfTheSchema()
{
    for (const exporting::FieldRow& row : exporting::fieldRules()) {
        const std::string name(row.field);
        const auto dot = name.find('.');
        const auto* message =
            google::protobuf::DescriptorPool::generated_pool()->FindMessageTypeByName(
                "cannery.spec." + name.substr(0, dot));
        QVERIFY2(message != nullptr, name.c_str());
        QVERIFY2(message->FindFieldByName(name.substr(dot + 1)) != nullptr, name.c_str());
    }
}

CANNERY_TEST(TstArgumentRules)
#include "tst_argument_rules.moc"
