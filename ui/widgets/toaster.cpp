// SPDX-License-Identifier: GPL-3.0-only
#include "ui/widgets/toaster.h"

#include "ui/widgets/toast.h"

#include <QWidget>

namespace cannery::ui {

Toaster::Toaster(QWidget* host) : QObject(host), m_host(host) {}

Toaster::~Toaster() = default;

void Toaster::show(const QString& text, const QString& undoText, const std::function<void()>& undo)
{
    hide();
    if (!m_host) {
        return;
    }
    m_toast = new Toast(text, undoText, m_host);
    m_toast->setObjectName("toast");
    if (undo) {
        connect(m_toast, &Toast::undone, this, undo);
    }
    m_toast->appear();
}

void Toaster::hide()
{
    if (m_toast) {
        m_toast->hide();
        m_toast->deleteLater();
        m_toast = nullptr;
    }
}

QString Toaster::text() const
{
    return m_toast ? m_toast->text() : QString();
}

void Toaster::undo()
{
    if (m_toast) {
        m_toast->undo();
    }
}

} // namespace cannery::ui
