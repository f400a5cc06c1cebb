// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <array>
#include <cstdint>

namespace cannery::ui {

/// The colours of one theme as 0xRRGGBB. These two tables are the only place where the program
/// defines colours.
struct TokenTable
{
    std::uint32_t chrome, canvas, surface, sunken, field, raised, hover, idleBg;
    std::uint32_t line, border, control, track;
    std::uint32_t text, text2, text3;
    std::uint32_t accent, accentHover, tint, onAccent;
    std::uint32_t ok, okBg, warn, warnIcon, warnBg, err, errBg;
    /// Eight hues, then their second lightness: computed so that each has contrast 3.15 : 1 on the
    /// surface and is as far as possible from all others, also for deuteranopia, protanopia and
    /// tritanopia.
    std::array<std::uint32_t, 16> series;
};

inline constexpr TokenTable kLightTokens{
    .chrome = 0xEBEEF2,
    .canvas = 0xF5F7F9,
    .surface = 0xFFFFFF,
    .sunken = 0xF3F5F8,
    .field = 0xFFFFFF,
    .raised = 0xFFFFFF,
    .hover = 0xE9EDF1,
    .idleBg = 0xE6EAEF,
    .line = 0xE1E5EA,
    .border = 0xBFC7D1,
    .control = 0x8791A0,
    .track = 0xD3D9E0,
    .text = 0x19212A,
    .text2 = 0x536070,
    .text3 = 0x667280,
    .accent = 0x0B6E8A,
    .accentHover = 0x095A72,
    .tint = 0xDDF0F5,
    .onAccent = 0xFFFFFF,
    .ok = 0x19713F,
    .okBg = 0xE0F2E7,
    .warn = 0x96500A,
    .warnIcon = 0xC2650C,
    .warnBg = 0xFDF0DE,
    .err = 0xB3261E,
    .errBg = 0xFCE9E7,
    .series = {0x0974CA, 0xE0430C, 0x07654A, 0x8F3F7B, 0xB5832F, 0x119BBF, 0x4B3DBC, 0x868C95,
               0x09335D, 0x801C00, 0x679B86, 0x58304D, 0x664B23, 0x025D74, 0x987EF2, 0x303337}};

inline constexpr TokenTable kDarkTokens{
    .chrome = 0x13171B,
    .canvas = 0x181C21,
    .surface = 0x20252B,
    .sunken = 0x191D22,
    .field = 0x191D22,
    .raised = 0x2A3038,
    .hover = 0x2B323A,
    .idleBg = 0x2C333B,
    .line = 0x2E353D,
    .border = 0x4A5562,
    .control = 0x77828F,
    .track = 0x3A434D,
    .text = 0xE8ECF1,
    .text2 = 0xA9B3C0,
    .text3 = 0x8A95A3,
    .accent = 0x4FB9D3,
    .accentHover = 0x74CBDF,
    .tint = 0x17394A,
    .onAccent = 0x04212B,
    .ok = 0x6FD09A,
    .okBg = 0x19352A,
    .warn = 0xF2B36A,
    .warnIcon = 0xF2A24A,
    .warnBg = 0x39291A,
    .err = 0xFF9C92,
    .errBg = 0x432425,
    .series = {0x5BABFA, 0xFF7B47, 0x2EA87A, 0xDB7FBC, 0xEACB74, 0x86E1F5, 0x8570EE, 0xC5CCD6,
               0x4475A9, 0xAE674B, 0xB1FED9, 0x936382, 0x8C7521, 0x268DA0, 0xC3B1F9, 0x83878C}};

/// Behind a dialog or the palette: 0xAARRGGBB.
inline constexpr std::uint32_t kScrim = 0x6E0F141A;

} // namespace cannery::ui
