// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QTranslator>

namespace cannery::tests {

/// Every text of ours half as long again and with accents: what is cut or not translatable shows.
class PseudoTranslator : public QTranslator
{
    Q_OBJECT

public:
    using QTranslator::QTranslator;

    bool isEmpty() const override { return false; }
    QString translate(const char* context, const char* source, const char* disambiguation,
                      int n) const override;
};

/// The text as the translator would give it; tags, entities and %1 stay.
QString pseudoText(const QString& source);

} // namespace cannery::tests
