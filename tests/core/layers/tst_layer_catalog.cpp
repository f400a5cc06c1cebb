// SPDX-License-Identifier: Apache-2.0
#include "core/layers/layer_catalog.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <google/protobuf/descriptor.h>

using namespace cannery;

class TstLayerCatalog : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void hasARowForEveryLayerOfTheSchema();
    void refusesAnEmptyLayer();
};

void TstLayerCatalog::hasARowForEveryLayerOfTheSchema()
{
    const auto* kinds = spec::Layer::descriptor()->oneof_decl(0);
    const auto rows = layers::layerCatalog();
    QCOMPARE(static_cast<int>(rows.size()), kinds->field_count());
    for (int index = 0; index < kinds->field_count(); ++index) {
        const auto* field = kinds->field(index);
        const layers::LayerRow& row = rows[static_cast<std::size_t>(index)];
        QCOMPARE(static_cast<int>(row.key), field->number());
        QCOMPARE(std::string(row.name), field->name());
        spec::Layer message;
        message.GetReflection()->MutableMessage(&message, field);
        VERIFY_OK(layers::makeLayer(message));
    }
}

void TstLayerCatalog::refusesAnEmptyLayer()
{
    VERIFY_ERROR(layers::makeLayer(spec::Layer()), "layers.empty");
}

CANNERY_TEST(TstLayerCatalog)
#include "tst_layer_catalog.moc"
