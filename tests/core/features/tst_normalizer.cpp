// SPDX-License-Identifier: Apache-2.0
#include "core/features/normalizer.h"
#include "core/spec/feature_columns.pb.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QtTest>

#include <cmath>

using namespace cannery;
using namespace cannery::features;

class TstNormalizer : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aLogarithmIsCentredAndScaled();
    void aLogarithmAloneIsPlain();
    void aLogarithmIsNotDividedByZero();
};

void TstNormalizer::aLogarithmIsCentredAndScaled()
{
    spec::Normalizer message;
    message.mutable_log()->set_offset(2);
    message.mutable_log()->set_subtract(1);
    message.mutable_log()->set_divide(0.5);
    const auto normalizer = Normalizer::create(message, "fare");
    VERIFY_OK(normalizer);
    std::vector<float> values{0, 18};
    normalizer->apply(values);
    QVERIFY(std::fabs(values[0] - (std::log(2.0F) - 1) / 0.5F) < 1e-5F);
    QVERIFY(std::fabs(values[1] - (std::log(20.0F) - 1) / 0.5F) < 1e-5F);
}

void TstNormalizer::aLogarithmAloneIsPlain()
{
    spec::Normalizer message;
    message.mutable_log();
    const auto normalizer = Normalizer::create(message, "fare");
    VERIFY_OK(normalizer);
    std::vector<float> values{0, 9};
    normalizer->apply(values);
    QCOMPARE(values, (std::vector<float>{0, std::log(10.0F)}));
}

void TstNormalizer::aLogarithmIsNotDividedByZero()
{
    spec::Normalizer message;
    message.mutable_log()->set_divide(0);
    const auto normalizer = Normalizer::create(message, "fare");
    QVERIFY(!normalizer);
    QCOMPARE(normalizer.error().message(),
             std::string("The normalizer of numeric column 'fare' divides by 0; remove the "
                         "normalizer, or the column: a constant carries no information."));
}

CANNERY_TEST(TstNormalizer)
#include "tst_normalizer.moc"
