// SPDX-License-Identifier: Apache-2.0
#include "core/base/dtype.h"
#include "core/base/shape.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace cannery;

class TstShape : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void countsElements();
    void printsUnknownDimensions();
    void namesDTypesAsTensorFlowDoes();
};

void TstShape::countsElements()
{
    QCOMPARE(Shape().elementCount(), std::int64_t(1));
    QCOMPARE(Shape({3, 4}).elementCount(), std::int64_t(12));
    QCOMPARE(Shape({3, 0}).elementCount(), std::int64_t(0));
    // The intermediate product would overflow.
    QCOMPARE(Shape({std::int64_t{1} << 40, std::int64_t{1} << 40, 0}).elementCount(),
             std::int64_t(0));
}

void TstShape::printsUnknownDimensions()
{
    QCOMPARE(Shape({-1, 4}).toString(), std::string("[?, 4]"));
    QCOMPARE(Shape().toString(), std::string("[]"));
}

void TstShape::namesDTypesAsTensorFlowDoes()
{
    QCOMPARE(std::string(name(DType::Float32)), std::string("float32"));
    QCOMPARE(dtypeFromName("int64"), std::optional(DType::Int64));
    QCOMPARE(dtypeFromName("float"), std::optional<DType>());
    QCOMPARE(byteSize(DType::Complex128), std::size_t(16));
    QCOMPARE(byteSize(DType::String), std::size_t(0));
}

CANNERY_TEST(TstShape)
#include "tst_shape.moc"
