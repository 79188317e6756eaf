//! The CUDA driver interface, as far as the checks need it: devices, contexts, memory, modules, launches.

use std::ffi::{OsStr, c_char, c_int, c_uint, c_void};
use std::ptr;

use cudarc::driver::sys::CUdevice_attribute as Attribute;
use libloading::Library;

use crate::machine::native::{Trouble, function, open, text_at};

type Pointer = u64;

/// The driver library, initialised or not.
pub(in crate::machine) struct Driver {
    library: &'static Library,
}

/// Calls `$name` with the given types and values and turns its status into a result.
macro_rules! call {
    ($driver:expr, $name:literal, ($($type:ty),*), ($($value:expr),*)) => {{
        // SAFETY: the types are those of the function in cuda.h.
        let found = unsafe {
            function::<unsafe extern "C" fn($($type),*) -> c_int>($driver.library, concat!($name, "\0"))
        };
        match found {
            // SAFETY: every pointer passed is null where null is allowed or points to a place that outlives the call
            // and has the size that the other arguments state; handles come from this same library.
            Ok(call) => $driver.checked($name, unsafe { call($($value),*) }),
            Err(trouble) => Err(trouble),
        }
    }};
}

impl Driver {
    /// Opens libcuda; calls nothing.
    pub(in crate::machine) fn open(library: &OsStr) -> Result<Self, Trouble> {
        Ok(Self { library: open(library)? })
    }

    /// `cuInit`.
    pub(in crate::machine) fn init(&self) -> Result<(), Trouble> {
        call!(self, "cuInit", (c_uint), (0))
    }

    /// The highest CUDA version that the driver offers: 13000 for 13.0.
    pub(in crate::machine) fn version(&self) -> Result<i32, Trouble> {
        let mut version = 0;
        call!(self, "cuDriverGetVersion", (*mut c_int), (&mut version))?;
        Ok(version)
    }

    /// How many devices a program sees.
    pub(in crate::machine) fn device_count(&self) -> Result<i32, Trouble> {
        let mut count = 0;
        call!(self, "cuDeviceGetCount", (*mut c_int), (&mut count))?;
        Ok(count)
    }

    /// A device by its number.
    pub(in crate::machine) fn device(&self, ordinal: i32) -> Result<Device<'_>, Trouble> {
        let mut handle = 0;
        call!(self, "cuDeviceGet", (*mut c_int, c_int), (&mut handle, ordinal))?;
        Ok(Device { driver: self, handle })
    }

    fn checked(&self, call: &'static str, code: c_int) -> Result<(), Trouble> {
        if code == 0 {
            return Ok(());
        }
        Err(Trouble::Status {
            call,
            code,
            name: self.words("cuGetErrorName\0", code),
            says: self.words("cuGetErrorString\0", code),
        })
    }

    fn words(&self, name: &'static str, code: c_int) -> Option<String> {
        // SAFETY: `CUresult f(CUresult, const char**)` for both functions in cuda.h.
        let call =
            unsafe { function::<unsafe extern "C" fn(c_int, *mut *const c_char) -> c_int>(self.library, name) }.ok()?;
        let mut text = ptr::null();
        // SAFETY: any integer may be asked for; `text` outlives the call.
        let status = unsafe { call(code, &mut text) };
        if status != 0 {
            return None;
        }
        // SAFETY: the driver returned a static string or left the pointer null.
        unsafe { text_at(text) }.filter(|text| !text.is_empty())
    }
}

/// A device.
#[derive(Clone, Copy)]
pub(in crate::machine) struct Device<'d> {
    driver: &'d Driver,
    handle: c_int,
}

impl<'d> Device<'d> {
    /// "NVIDIA H100 80GB HBM3".
    pub(in crate::machine) fn name(&self) -> Result<String, Trouble> {
        let mut name = [0_u8; 256];
        call!(
            self.driver,
            "cuDeviceGetName",
            (*mut c_char, c_int, c_int),
            (name.as_mut_ptr().cast(), 255, self.handle)
        )?;
        let end = name.iter().position(|byte| *byte == 0).unwrap_or(name.len());
        Ok(String::from_utf8_lossy(&name[..end]).into_owned())
    }

    /// "0000:65:00.0".
    pub(in crate::machine) fn pci(&self) -> Result<String, Trouble> {
        let mut name = [0_u8; 64];
        call!(
            self.driver,
            "cuDeviceGetPCIBusId",
            (*mut c_char, c_int, c_int),
            (name.as_mut_ptr().cast(), 63, self.handle)
        )?;
        let end = name.iter().position(|byte| *byte == 0).unwrap_or(name.len());
        Ok(String::from_utf8_lossy(&name[..end]).into_owned())
    }

    /// The compute capability.
    pub(in crate::machine) fn capability(&self) -> Result<(i32, i32), Trouble> {
        let major = self.attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
        Ok((major, self.attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?))
    }

    /// Shared memory that one block may ask for, in bytes.
    pub(in crate::machine) fn shared_memory(&self) -> Result<i32, Trouble> {
        self.attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)
    }

    /// Whether a kernel that runs too long is stopped (a device that drives a display).
    pub(in crate::machine) fn has_watchdog(&self) -> Result<bool, Trouble> {
        Ok(self.attribute(Attribute::CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT)? != 0)
    }

    /// Whether this device can read the other's memory.
    pub(in crate::machine) fn reaches(&self, other: Device<'_>) -> Result<bool, Trouble> {
        let mut can = 0;
        call!(self.driver, "cuDeviceCanAccessPeer", (*mut c_int, c_int, c_int), (&mut can, self.handle, other.handle))?;
        Ok(can != 0)
    }

    /// The primary context, the one that frameworks use.
    pub(in crate::machine) fn context(&self) -> Result<Context<'d>, Trouble> {
        let mut handle = ptr::null_mut();
        call!(self.driver, "cuDevicePrimaryCtxRetain", (*mut *mut c_void, c_int), (&mut handle, self.handle))?;
        let context = Context { driver: self.driver, device: self.handle, handle };
        context.enter()?;
        Ok(context)
    }

    fn attribute(&self, attribute: Attribute) -> Result<i32, Trouble> {
        let mut value = 0;
        call!(
            self.driver,
            "cuDeviceGetAttribute",
            (*mut c_int, c_int, c_int),
            (&mut value, attribute as c_int, self.handle)
        )?;
        Ok(value)
    }
}

/// A device's primary context, current in this thread.
pub(in crate::machine) struct Context<'d> {
    driver: &'d Driver,
    device: c_int,
    handle: *mut c_void,
}

impl<'d> Context<'d> {
    /// Makes it the current one again, after another device's context was.
    pub(in crate::machine) fn enter(&self) -> Result<(), Trouble> {
        call!(self.driver, "cuCtxSetCurrent", (*mut c_void), (self.handle))
    }

    /// Free and total bytes.
    pub(in crate::machine) fn memory(&self) -> Result<(usize, usize), Trouble> {
        let (mut free, mut total) = (0, 0);
        call!(self.driver, "cuMemGetInfo_v2", (*mut usize, *mut usize), (&mut free, &mut total))?;
        Ok((free, total))
    }

    /// Waits until everything is done; reports what went wrong until then.
    pub(in crate::machine) fn synchronize(&self) -> Result<(), Trouble> {
        call!(self.driver, "cuCtxSynchronize", (), ())
    }

    /// Lets this context use the memory of the other's device.
    pub(in crate::machine) fn reach_into(&self, other: &Context<'_>) -> Result<(), Trouble> {
        self.enter()?;
        call!(self.driver, "cuCtxEnablePeerAccess", (*mut c_void, c_uint), (other.handle, 0))
    }

    /// Memory on the device.
    pub(in crate::machine) fn allocate(&self, bytes: usize) -> Result<Buffer<'d>, Trouble> {
        let mut address: Pointer = 0;
        call!(self.driver, "cuMemAlloc_v2", (*mut Pointer, usize), (&mut address, bytes))?;
        Ok(Buffer { driver: self.driver, address, bytes })
    }

    /// Memory on the device with these bytes in it.
    pub(in crate::machine) fn upload(&self, bytes: &[u8]) -> Result<Buffer<'d>, Trouble> {
        let buffer = self.allocate(bytes.len())?;
        buffer.write(bytes)?;
        Ok(buffer)
    }

    /// Compiles and loads PTX text or a cubin.
    pub(in crate::machine) fn module(&self, image: &[u8]) -> Result<Module<'d>, Trouble> {
        let mut image = image.to_vec();
        image.push(0);
        let mut handle = ptr::null_mut();
        call!(
            self.driver,
            "cuModuleLoadData",
            (*mut *mut c_void, *const c_void),
            (&mut handle, image.as_ptr().cast())
        )?;
        Ok(Module { driver: self.driver, handle })
    }
}

impl Drop for Context<'_> {
    fn drop(&mut self) {
        // A failure here was reported by a call before, and the process ends anyway.
        let _ = call!(self.driver, "cuDevicePrimaryCtxRelease_v2", (c_int), (self.device));
    }
}

/// Memory on a device.
pub(in crate::machine) struct Buffer<'d> {
    driver: &'d Driver,
    address: Pointer,
    bytes: usize,
}

impl Buffer<'_> {
    /// Copies to the device; no more than fits.
    pub(in crate::machine) fn write(&self, bytes: &[u8]) -> Result<(), Trouble> {
        let length = bytes.len().min(self.bytes);
        call!(
            self.driver,
            "cuMemcpyHtoD_v2",
            (Pointer, *const c_void, usize),
            (self.address, bytes.as_ptr().cast(), length)
        )
    }

    /// Copies from the device; no more than there is.
    pub(in crate::machine) fn read(&self, bytes: &mut [u8]) -> Result<(), Trouble> {
        let length = bytes.len().min(self.bytes);
        call!(
            self.driver,
            "cuMemcpyDtoH_v2",
            (*mut c_void, Pointer, usize),
            (bytes.as_mut_ptr().cast(), self.address, length)
        )
    }

    /// All bytes.
    pub(in crate::machine) fn read_all(&self) -> Result<Vec<u8>, Trouble> {
        let mut bytes = vec![0; self.bytes];
        self.read(&mut bytes)?;
        Ok(bytes)
    }

    /// Copies from another buffer on any device; no more than fits.
    pub(in crate::machine) fn copy_from(&self, other: &Buffer<'_>) -> Result<(), Trouble> {
        let length = self.bytes.min(other.bytes);
        call!(self.driver, "cuMemcpyDtoD_v2", (Pointer, Pointer, usize), (self.address, other.address, length))
    }

    /// Sets every byte.
    pub(in crate::machine) fn fill(&self, byte: u8) -> Result<(), Trouble> {
        call!(self.driver, "cuMemsetD8_v2", (Pointer, u8, usize), (self.address, byte, self.bytes))
    }

    /// The address, for libraries on top of the driver.
    pub(super) fn pointer(&self) -> *mut c_void {
        // Device addresses are numbers to this side; 64-bit platforms only, as CUDA itself.
        self.address as *mut c_void
    }

    /// How many bytes.
    pub(super) fn len(&self) -> usize {
        self.bytes
    }
}

impl Drop for Buffer<'_> {
    fn drop(&mut self) {
        // A failure here was reported by a call before, and the process ends anyway.
        let _ = call!(self.driver, "cuMemFree_v2", (Pointer), (self.address));
    }
}

/// A loaded module.
pub(in crate::machine) struct Module<'d> {
    driver: &'d Driver,
    handle: *mut c_void,
}

impl Module<'_> {
    /// Runs the checks' own kernel, `(const u32* in, u32* out, u32 n)`, with one thread per element.
    pub(in crate::machine) fn run_mix(&self, input: &Buffer<'_>, output: &Buffer<'_>) -> Result<(), Trouble> {
        const BLOCK: u32 = 256;
        let mut function = ptr::null_mut();
        call!(
            self.driver,
            "cuModuleGetFunction",
            (*mut *mut c_void, *mut c_void, *const c_char),
            (&mut function, self.handle, c"faultbook_mix".as_ptr())
        )?;
        let elements = input.bytes.min(output.bytes) / 4;
        let mut count = u32::try_from(elements).unwrap_or(u32::MAX);
        let (mut from, mut to) = (input.address, output.address);
        let mut arguments: [*mut c_void; 3] = [(&raw mut from).cast(), (&raw mut to).cast(), (&raw mut count).cast()];
        call!(
            self.driver,
            "cuLaunchKernel",
            (
                *mut c_void,
                c_uint,
                c_uint,
                c_uint,
                c_uint,
                c_uint,
                c_uint,
                c_uint,
                *mut c_void,
                *mut *mut c_void,
                *mut *mut c_void
            ),
            (
                function,
                count.div_ceil(BLOCK),
                1,
                1,
                BLOCK,
                1,
                1,
                0,
                ptr::null_mut(),
                arguments.as_mut_ptr(),
                ptr::null_mut()
            )
        )
    }
}

impl Drop for Module<'_> {
    fn drop(&mut self) {
        let _ = call!(self.driver, "cuModuleUnload", (*mut c_void), (self.handle));
    }
}
