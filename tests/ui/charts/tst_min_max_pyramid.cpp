// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/test_main.h"
#include "ui/models/curves/min_max_pyramid.h"

#include <QTest>

#include <cmath>
#include <limits>
#include <random>

using cannery::ui::MinMaxPyramid;

namespace {

MinMaxPyramid::Extremes scanned(const std::vector<float>& values, qsizetype begin, qsizetype end)
{
    MinMaxPyramid::Extremes found;
    for (qsizetype i = begin; i < end; ++i) {
        const float value = values[size_t(i)];
        if (std::isfinite(value)) {
            found.min = found.empty ? value : std::min(found.min, value);
            found.max = found.empty ? value : std::max(found.max, value);
            found.empty = false;
        }
    }
    return found;
}

} // namespace

class TstMinMaxPyramid : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void answersLikeAScanOfEveryRange()
    {
        std::mt19937 random(11);
        std::normal_distribution<float> value;
        std::vector<float> values;
        MinMaxPyramid pyramid;
        while (values.size() < 9000) {
            const auto more = 1 + random() % 700;
            for (size_t i = 0; i < more; ++i) {
                const auto kind = random() % 40;
                values.push_back(kind == 0   ? std::numeric_limits<float>::quiet_NaN()
                                 : kind == 1 ? std::numeric_limits<float>::infinity()
                                 : kind == 2 ? -std::numeric_limits<float>::infinity()
                                             : value(random));
            }
            pyramid.update(values);
            for (int i = 0; i < 40; ++i) {
                auto begin = qsizetype(random() % (values.size() + 1));
                auto end = qsizetype(random() % (values.size() + 1));
                if (begin > end) {
                    std::swap(begin, end);
                }
                QCOMPARE(pyramid.query(values, begin, end), scanned(values, begin, end));
            }
        }
        QCOMPARE(pyramid.size(), qsizetype(values.size()));
    }

    void onlyNonFiniteValuesAreEmpty()
    {
        const std::vector<float> values(100, std::numeric_limits<float>::quiet_NaN());
        MinMaxPyramid pyramid;
        pyramid.update(values);
        QVERIFY(pyramid.query(values, 0, 100).empty);
        QVERIFY(pyramid.query({}, 0, 0).empty);
    }

    void fewerValuesStartAnew()
    {
        const std::vector<float> many(1000, 5.0F);
        const std::vector<float> few{1.0F, 2.0F};
        MinMaxPyramid pyramid;
        pyramid.update(many);
        pyramid.update(few);
        QCOMPARE(pyramid.query(few, 0, 1000), (MinMaxPyramid::Extremes{1.0F, 2.0F, false}));
    }
};

CANNERY_TEST(TstMinMaxPyramid)
#include "tst_min_max_pyramid.moc"
